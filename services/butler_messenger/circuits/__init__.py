"""The state of the circuits and the operator's reset: a tool (MSR-06.3) and the ops API."""
