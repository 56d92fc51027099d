"""The butlers' tools `notify`, `approval.ask`, `route.started` and `route.complete` (SWB-11.3, D17, D18)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from butler_contracts.call_approvals import ASK_TOOL
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_switchboard.dispatch.call_approvals import CallApprovals
from butler_switchboard.dispatch.completions import Completions
from butler_switchboard.dispatch.notify import Notifier

__all__ = ["register_dispatch_tools"]

_BUTLERS: Final = (Role.BUTLER,)
_UUID: Final = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"


def _object(name: str, kind: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: kind}, "required": [name], "additionalProperties": False}


def register_dispatch_tools(
    server: ToolServer, notifier: Notifier, completions: Completions, call_approvals: CallApprovals
) -> None:
    """Offer the tools to butlers, each under its own name."""

    @server.tool("notify", _object("notify_request", {"type": "object"}), roles=_BUTLERS)
    async def notify(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Ask Messenger to tell a person something; answers with notify_response.v1."""
        return (await notifier.notify(caller, args["notify_request"])).to_wire()

    @server.tool(ASK_TOOL, _object("call", {"type": "object"}), roles=_BUTLERS)
    async def ask(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Ask whether a tool outside may be called, and hear what a person decided; again it only tells that."""
        return (await call_approvals.ask(caller, args["call"])).to_wire()

    subrequest = {"type": "string", "format": "uuid", "pattern": _UUID}

    @server.tool("route.started", _object("subrequest_id", subrequest), roles=_BUTLERS)
    async def started(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Say that work on a subrequest begins now: its run clock starts."""
        return await completions.started(caller, UUID(args["subrequest_id"]))

    @server.tool("route.complete", _object("route_response", {"type": "object"}), roles=_BUTLERS)
    async def complete(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Report the end of a subrequest with its route_response.v1."""
        return await completions.complete(caller, args["route_response"])
