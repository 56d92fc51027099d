"""The household's calendar: what butlers have booked there, and how it stands (MSR-01.2, SWB-24.2, D53)."""
