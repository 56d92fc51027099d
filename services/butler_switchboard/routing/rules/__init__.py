"""The in-process routing family: no model server, no network, no dependency (SWB-03, D28)."""
