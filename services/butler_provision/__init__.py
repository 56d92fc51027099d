"""Prepares a butler's schema, role and tables before its service starts (D51)."""
