"""What every long-running process needs: configuration, identity, storage, queues, MCP, runtimes, telemetry."""
