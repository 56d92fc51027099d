"""Scheduled jobs, each run once across all replicas, and the upkeep outside the schedules (SWB-25, D40)."""
