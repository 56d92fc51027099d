"""Behaviour of the message plane, from pure functions to the whole household."""
