"""What tests stand on: databases, providers, the conformance report."""
