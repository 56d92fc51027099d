"""The stored state: routed work and records."""
