"""Read-only queries about deliveries: tools (MSR-09) and the ops API."""
