"""Models of the custom resources and the pure functions that render them (pure)."""
