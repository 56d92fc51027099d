"""Scheduled prompts: due moments, queued once as work without a sender (ADR 0097, SWB-25.3, CON-2.8)."""
