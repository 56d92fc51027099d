"""MCP between the processes: `ToolServer` serves tools on `/sse` and `/mcp`, `CachedMCPClient` calls them
(CNX-06, D36).

Invariant: a call is carried out for the caller who was authenticated on the very HTTP request that brought
it (D2).
"""

from butler_kit.mcp.authenticated import authenticated_server
from butler_kit.mcp.client import AuthenticationRefused, CachedMCPClient, TokenProvider, ToolCalls, ToolError
from butler_kit.mcp.guard import BearerGuard, Verifier, caller_of
from butler_kit.mcp.server import ServerLimits, ToolServer
from butler_kit.mcp.tools import Handler

__all__ = [
    "AuthenticationRefused",
    "BearerGuard",
    "CachedMCPClient",
    "Handler",
    "ServerLimits",
    "TokenProvider",
    "ToolCalls",
    "ToolError",
    "ToolServer",
    "Verifier",
    "authenticated_server",
    "caller_of",
]
