"""The Kubernetes API: apply, read, delete, events."""
