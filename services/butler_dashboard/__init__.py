"""The dashboard: reads what Switchboard and Messenger show, and changes nothing (SWB-43, CNX-14, CNX-15)."""
