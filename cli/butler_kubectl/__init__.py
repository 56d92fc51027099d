"""kubectl plugins: `kubectl butler …`, `kubectl quarantine`, `kubectl replay`."""
