"""Tells a butler for whom it works on a schedule, where no message says so (ADR 0097, D22)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from butler_contracts.whom import WHOM_TOOL, WhomAsked, WhomTold
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_switchboard.ingress.senders import ContactBook

__all__ = ["register_whom_tool"]

_BUTLERS: Final = (Role.BUTLER,)


def register_whom_tool(server: ToolServer, book: Callable[[], Awaitable[ContactBook]]) -> None:
    """Offer the tool to butlers."""

    @server.tool(WHOM_TOOL, WhomAsked, roles=_BUTLERS)
    async def whom(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Ask for whom you work where no message says it: a member by name, else the owner."""
        people = (await book()).people_around(WhomAsked(**args).name)
        return WhomTold(people=people).model_dump(mode="json")
