"""Recipients who get no unsolicited messages, why, and since when (docs/adr/0083)."""
