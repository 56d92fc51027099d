"""Appointments in the household's calendar: what is to be there, what became of it, what is said of it (D53)."""
