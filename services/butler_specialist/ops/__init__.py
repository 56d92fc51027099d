"""The ops API: what this butler holds, for the operator and the dashboard."""
