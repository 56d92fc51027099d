"""Authentication: a bearer token, or a browser session opened with one (architecture §6)."""
