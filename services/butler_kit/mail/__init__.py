"""Mail that was received: read by IMAP without a mark, and made a message of, the same for whoever reads it."""
