"""MCP between the processes: `ToolServer` serves tools on `/sse` and `/mcp`, `CachedMCPClient` calls them
(CNX-06, D36).

Here is what callers need, connectors for example; what serves is in `server`, `guard` and `authenticated`.
Invariants: a call is carried out for the caller who was authenticated on the very HTTP request that brought it (D2);
the SDK is imported by `sdk_server` and `sdk_client` alone, and those only when somebody needs it.
"""

from butler_kit.mcp.client import AuthenticationRefused, CachedMCPClient, TokenProvider, ToolCalls, ToolError

__all__ = ["AuthenticationRefused", "CachedMCPClient", "TokenProvider", "ToolCalls", "ToolError"]
