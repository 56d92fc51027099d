"""Builds Switchboard's parts, one module per side; dependencies are wired only here (architecture §4)."""
