"""The dashboard: reads the views of Switchboard and Messenger; operators act through Switchboard (SWB-43, CNX-14, CNX-15)."""
