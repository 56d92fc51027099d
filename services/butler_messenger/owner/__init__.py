"""Messages to the owner other than replies, within limits (D64, docs/adr/0021)."""
