"""Unsolicited messages wait for the end of a person's quiet hours (D66, docs/adr/0080)."""
