"""Invitations by mail become appointments: their effect on the records, and the answers (ADR 0105)."""
