"""Who exists, what they can do, whether they are alive: butlers and connectors (SWB-09, SWB-10, SWB-21, CNX-12)."""
