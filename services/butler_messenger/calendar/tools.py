"""The tools `calendar_*`, for Switchboard on behalf of a butler, and for an operator (MSR-01.2)."""

from __future__ import annotations

from typing import Any, Final

import structlog

from butler_contracts.calendar import (
    CREATE_TOOL,
    DELETE_TOOL,
    FREEBUSY_TOOL,
    LIST_TOOL,
    MOVE_TOOL,
    STATUS_TOOL,
    CalendarCreate,
    CalendarDelete,
    CalendarMove,
    CalendarPeriod,
)
from butler_contracts.memory import Nothing
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_messenger.calendar.desk import CalendarDesk

__all__ = ["register_calendar_tools"]

_log = structlog.get_logger(__name__)

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)
_DEADLINE_S: Final = 40.0
"""Some calls of the provider, each with a time of its own, whose end says more."""


def register_calendar_tools(server: ToolServer, desk: CalendarDesk) -> None:
    """Register the five, which say so where the calendar is off, and the one that says how it stands."""

    @server.tool(STATUS_TOOL, Nothing, roles=_ROLES, deadline_s=_DEADLINE_S)
    async def status(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """How the household's calendar stands: its provider, on or off, and in words why it is not well."""
        return desk.word().to_wire()

    @server.tool(LIST_TOOL, CalendarPeriod, roles=_ROLES, deadline_s=_DEADLINE_S)
    async def listed(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """What is in the household's calendar in a period."""
        return (await desk.list(CalendarPeriod(**args))).to_wire()

    @server.tool(FREEBUSY_TOOL, CalendarPeriod, roles=_ROLES, deadline_s=_DEADLINE_S)
    async def freebusy(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """When somebody is busy in a period, without what they do."""
        return (await desk.freebusy(CalendarPeriod(**args))).to_wire()

    @server.tool(CREATE_TOOL, CalendarCreate, roles=_ROLES, deadline_s=_DEADLINE_S)
    async def create(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Book an event, unless something is there then: that and up to three free times are the answer."""
        asked = CalendarCreate(**args)
        answer = await desk.create(asked)
        _done(caller, CREATE_TOOL, str(asked.event_id), answer.status)
        return answer.to_wire()

    @server.tool(MOVE_TOOL, CalendarMove, roles=_ROLES, deadline_s=_DEADLINE_S)
    async def move(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Give an event that was booked here another time, unless something is there then."""
        asked = CalendarMove(**args)
        answer = await desk.move(asked)
        _done(caller, MOVE_TOOL, str(asked.event_id), answer.status)
        return answer.to_wire()

    @server.tool(DELETE_TOOL, CalendarDelete, roles=_ROLES, deadline_s=_DEADLINE_S)
    async def delete(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Take an event that was booked here out of the calendar."""
        asked = CalendarDelete(**args)
        answer = await desk.delete(asked)
        _done(caller, DELETE_TOOL, str(asked.event_id), answer.status)
        return answer.to_wire()


def _done(caller: Caller, tool: str, event_id: str, status: str) -> None:
    _log.info(
        "calendar_asked", tool=tool, caller=caller.origin or caller.subject, event_id=event_id, status=status
    )
