"""Tools outside of our database: MCP servers that a manifest names, offered to a session's model (D58, D61)."""
