"""The dashboard: reads views of Switchboard and Messenger; people act through Switchboard (SWB-43, CNX-14, CNX-15)."""
