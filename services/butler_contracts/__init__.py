"""Versioned envelopes, error classes and key functions that every part of the message plane shares (pure)."""
