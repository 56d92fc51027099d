"""Each person's own settings: zone, quiet hours, language (D83, ADR 0059)."""
