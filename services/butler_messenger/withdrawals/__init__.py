"""Withdrawal of what an operator no longer wants sent (SWB-38, ADR 0075)."""
