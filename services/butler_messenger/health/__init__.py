"""Read-only queries: preflight checks and the state of delivery (MSG-5.1.3, MSG-5.1.4, MSR-10)."""
