"""Backfill: reading a connector's history, ordered by Switchboard, done by connectors (SWB-18 to SWB-20)."""
