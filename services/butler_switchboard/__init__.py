"""The single ingress: accepts messages durably, routes them to specialists, records the whole life of each."""
