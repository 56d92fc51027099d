"""Prompts by the clock: which moments are due, queued once as work that nobody sent (ADR 0097, SWB-25.3, CON-2.8)."""
