"""Makes what Messenger consists of; nothing here decides anything."""
