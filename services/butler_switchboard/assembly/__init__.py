"""Makes Switchboard's parts, one side of it a module: here alone is who gets whom (architecture §4)."""
