"""Outside tools: MCP servers that a manifest names, offered to a session's model (D58, D61)."""
