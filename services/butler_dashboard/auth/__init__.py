"""Who may look: a bearer token, or a browser's session that a token opened (architecture §6)."""
