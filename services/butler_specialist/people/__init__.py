"""What each person of the household has for themselves: zone, quiet hours, language (D83, ADR 0059)."""
