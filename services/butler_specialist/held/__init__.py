"""Calls of outside tools that wait for approval: stored with the outcome of their work, made once (D61)."""
