"""Shared parts for reading messages from a source: bounds, outcomes of events, and lists of senders."""
