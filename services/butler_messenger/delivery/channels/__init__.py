"""One adapter per provider; each reports what happened with the same few `outcomes`."""
