"""Diagnose a household, up or not: probes that look and change nothing, each with a deadline."""
