"""Which requirement ids the suite proves."""
