"""The household's mailbox of incoming mail: searched, read, and routed through Switchboard's ingest (MSG-5, D47)."""
