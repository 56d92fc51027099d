"""Invitations that come by mail become appointments: what they do to what is noted, and what is said (ADR 0105)."""
