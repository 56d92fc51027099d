"""The household's calendar: the butlers' bookings and its state (MSR-01.2, SWB-24.2, D53)."""
