"""To whom nothing is sent unasked, why, and since when (docs/adr/0083)."""
