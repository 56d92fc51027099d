"""Reminders: what is due when, its wording, and telling it once (D67, ADR 0036)."""
