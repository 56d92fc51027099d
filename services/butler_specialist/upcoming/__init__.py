"""Automatic reminders of records: a due bill, a birthday, a departure (D67, ADR 0061)."""
