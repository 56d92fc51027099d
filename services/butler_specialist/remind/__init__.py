"""Reminders: what is due when, how it is said, and that it is told once (D67, ADR 0036)."""
