"""Builds the parts of Messenger; makes no decisions."""
