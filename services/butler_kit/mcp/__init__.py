"""MCP between the processes: `ToolServer` serves tools on `/sse` and `/mcp`, `CachedMCPClient` calls them
(CNX-06, D36).

This package exports what callers need, connectors for example; the serving side is in `server`, `guard` and
`authenticated`. Invariants: a call is carried out for the caller who was authenticated on the HTTP request that
carried it (D2); the SDK is imported only by `sdk_server` and `sdk_client`, and those only when they are needed.
"""

from butler_kit.mcp.client import (
    AuthenticationRefused,
    CachedMCPClient,
    NotReached,
    TokenProvider,
    ToolCalls,
    ToolError,
)

__all__ = [
    "AuthenticationRefused",
    "CachedMCPClient",
    "NotReached",
    "TokenProvider",
    "ToolCalls",
    "ToolError",
]
