"""The tools of connectors that share a source: for its own source each (CNX-17, D33)."""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.parse import parse
from butler_contracts.sources import CHECKPOINT_TOOL, LEASE_TOOL, DocumentAsked, LeaseAsked
from butler_kit.auth import Caller, Role, authorize_connector
from butler_kit.mcp.server import ToolServer
from butler_switchboard.sources.store import SourceStore

__all__ = ["register_source_tools"]

_CONNECTORS: Final = (Role.CONNECTOR,)


def register_source_tools(server: ToolServer, sources: SourceStore) -> None:
    """Offer both."""

    @server.tool(LEASE_TOOL, LeaseAsked, roles=_CONNECTORS)
    async def lease(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Read your source from here on, for some seconds, unless another instance does; or read it no more."""
        asked = parse(LeaseAsked, args)
        authorize_connector(caller, asked.connector_type, asked.endpoint_identity)
        return (await sources.lease(asked)).to_wire()

    @server.tool(CHECKPOINT_TOOL, DocumentAsked, roles=_CONNECTORS)
    async def document(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Read, keep or forget a document of your source: its checkpoint and what goes with it (compare-and-set)."""
        asked = parse(DocumentAsked, args)
        authorize_connector(caller, asked.connector_type, asked.endpoint_identity)
        return (await sources.document(asked)).to_wire()
