"""Scheduled jobs, each run once over all replicas, and the upkeep that is no schedule (SWB-25, D40)."""
