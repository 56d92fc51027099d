"""The connector of a mailbox: IMAP with IDLE, read-only, safe over UIDVALIDITY (RFC 9051, RFC 2177)."""
