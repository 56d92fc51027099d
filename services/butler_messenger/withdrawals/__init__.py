"""What an operator does not want told any more (SWB-38, ADR 0075)."""
