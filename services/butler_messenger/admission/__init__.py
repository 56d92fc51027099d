"""From a route envelope to a durable delivery: validate, resolve, key, limit, store."""
