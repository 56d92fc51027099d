"""Calendars at providers behind one port: CalDAV and Google, and the policy by which nothing is booked over (D53)."""
