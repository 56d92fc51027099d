"""`route.execute`: validate, store, answer, before any work begins (CON-4.4)."""
