"""The tools `calendar_*` and `memory.recall`, for every butler in its own name (SWB-24.2)."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from butler_contracts.calendar import (
    CREATE_TOOL,
    DELETE_TOOL,
    FREEBUSY_TOOL,
    LIST_TOOL,
    MOVE_TOOL,
    CalendarCreate,
    CalendarDelete,
    CalendarMove,
    CalendarPeriod,
)
from butler_contracts.memory import SHARED_TOOL, SharedAsked
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_switchboard.modules.calendar import CalendarPassing
from butler_switchboard.modules.memory import MemorySharing

__all__ = ["register_calendar_tools", "register_memory_tool"]

_DEADLINE_S: Final = 50.0
_TOOLS: Final[tuple[tuple[str, type[BaseModel], str], ...]] = (
    (LIST_TOOL, CalendarPeriod, "What is in the household's calendar in a period."),
    (FREEBUSY_TOOL, CalendarPeriod, "When somebody is busy in a period, without what they do."),
    (CREATE_TOOL, CalendarCreate, "Book an event; what is in the way is the answer, with free times."),
    (MOVE_TOOL, CalendarMove, "Give an event that was booked here another time."),
    (DELETE_TOOL, CalendarDelete, "Take an event that was booked here out of the calendar."),
)


def register_calendar_tools(server: ToolServer, calendar: CalendarPassing) -> None:
    """Offer the five to butlers."""
    for name, asked, description in _TOOLS:
        _register(server, calendar, name, asked, description)


def _register(
    server: ToolServer, calendar: CalendarPassing, name: str, asked: type[BaseModel], description: str
) -> None:
    @server.tool(name, asked, roles=(Role.BUTLER,), description=description, deadline_s=_DEADLINE_S)
    async def pass_on(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        wish = asked(**args).model_dump(mode="json", exclude_none=True)
        return await calendar.pass_on(caller.name or caller.subject, name, wish)


def register_memory_tool(server: ToolServer, sharing: MemorySharing) -> None:
    """Offer what is shared of the writer of a butler's message."""

    @server.tool(SHARED_TOOL, SharedAsked, roles=(Role.BUTLER,))
    async def recall(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """What other butlers remember of the writer of your message, as far as they share it with you."""
        return (await sharing.recall(caller.name or caller.subject, SharedAsked(**args))).to_wire()
