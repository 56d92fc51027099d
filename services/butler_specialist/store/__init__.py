"""What is written down: routed work and records."""
