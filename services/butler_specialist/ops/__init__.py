"""The ops API: what this butler stores, for the operator and the dashboard."""
