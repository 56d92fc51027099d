"""The mailbox connector: IMAP with IDLE, read-only, safe across UIDVALIDITY changes (RFC 9051, RFC 2177)."""
