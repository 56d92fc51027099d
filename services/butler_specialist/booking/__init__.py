"""Appointments in the household's calendar: the wanted state, the result, and the answer about it (D53)."""
