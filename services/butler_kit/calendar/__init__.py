"""Calendars at providers behind one port: CalDAV and Google, and the policy against double booking (D53)."""
