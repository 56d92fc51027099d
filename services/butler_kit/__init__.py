"""Base of all long-running processes: configuration, identity, storage, queues, MCP, runtimes, telemetry."""
