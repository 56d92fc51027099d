"""Calls of tools outside that wait for a person's approval: kept with the outcome of their work, made once (D61)."""
