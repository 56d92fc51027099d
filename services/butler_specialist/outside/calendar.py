"""The household's calendar as a session's tool server: Switchboard's tools `calendar_*`, for a model (D53).

Invariant: an event booked by a session has an id made of its words, so the same call is the same event; what a
person put into the calendar themselves can be read but not changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID, uuid5

from butler_contracts.base import ContractModel
from butler_contracts.calendar import (
    CALENDAR,
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
from butler_contracts.errors import ButlerError, ErrorClass, ValidationFailed
from butler_contracts.parse import parse
from butler_kit.config import ToolServerConfig
from butler_kit.mcp import ToolCalls, ToolError
from butler_specialist.outside.model import Listed, Said, ServerFault

__all__ = ["CALENDAR_SERVER", "CalendarServer"]

_READS: Final = ("list", "freebusy")
_ALL: Final = (*_READS, "create", "move", "delete")
CALENDAR_SERVER: Final = ToolServerConfig(
    name=CALENDAR, url="http://switchboard", allow=_ALL, read_only=_READS, timeout_s=45
)
"""A configuration as if it were in the manifest.

The server is reached through Switchboard, whatever its address.
"""
_NO_ANSWER: Final = "the household's calendar gave no answer"
_LOST: Final = frozenset({ErrorClass.TARGET_UNAVAILABLE, ErrorClass.TIMEOUT, ErrorClass.INTERNAL_ERROR})
_EVENTS: Final = UUID("5b1c3a0e-6f0d-5c0e-9b8e-3a1d2c4f5e6a")
_MOMENT: Final[Mapping[str, Any]] = {"type": "string", "format": "date-time"}
_DAY: Final[Mapping[str, Any]] = {"type": "string", "format": "date"}
_ID: Final[Mapping[str, Any]] = {"type": "string"}
_WORDS: Final[Mapping[str, Any]] = {"type": "string"}


def _schema(required: Sequence[str], **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": properties,
        "additionalProperties": False,
    }


_PERIOD: Final = _schema(("start", "end"), start=_MOMENT, end=_MOMENT)
_TIME: Final[Mapping[str, Mapping[str, Any]]] = {
    "start": _MOMENT,
    "end": _MOMENT,
    "day": _DAY,
    "place": _WORDS,
}
# Without descriptions: each question of a session would repeat them, and the names and answers suffice.
_LISTED: Final = (
    Listed("list", "", _PERIOD, True),
    Listed("freebusy", "", _PERIOD, True),
    Listed("create", "", _schema(("title",), title=_WORDS, **_TIME), False),
    Listed("move", "", _schema(("event_id",), event_id=_ID, **_TIME), False),
    Listed("delete", "", _schema(("event_id",), event_id=_ID), False),
)


class CalendarServer:
    """See `butler_specialist.outside.servers.Serves`; `zone` is the household's."""

    config = CALENDAR_SERVER

    def __init__(self, tools: ToolCalls, zone: Callable[[], str]) -> None:
        self._tools = tools
        self._zone = zone

    async def list(self) -> Sequence[Listed]:
        """Return the five tools, whether or not the calendar is available."""
        return _LISTED

    async def call(self, tool: str, args: Mapping[str, Any]) -> Said:
        """Return the calendar's answer as JSON, or why it refuses. Raises `ServerFault`."""
        try:
            name, wish = self._wish(tool, args)
        except ValidationFailed as wrong:
            return Said(wrong.message, refused=True)
        try:
            answer = await self._tools.call(
                name, wish.model_dump(mode="json", exclude_none=True), timeout_s=CALENDAR_SERVER.timeout_s
            )
        except ToolError as error:
            if tool not in _READS and _may_be_done(error):
                raise ServerFault(_NO_ANSWER, sent=True) from error
            return Said(_why(error), refused=True)
        except OSError as error:
            raise ServerFault(_NO_ANSWER, sent=True) from error
        return Said(json.dumps(answer, ensure_ascii=False))

    async def aclose(self) -> None:
        return None

    def _wish(self, tool: str, args: Mapping[str, Any]) -> tuple[str, ContractModel]:
        if tool in _READS:
            return (LIST_TOOL if tool == "list" else FREEBUSY_TOOL), parse(CalendarPeriod, dict(args))
        if tool == "delete":
            return DELETE_TOOL, parse(CalendarDelete, dict(args))
        zoned = {**args, "timezone": self._zone()}
        if tool == "move":
            return MOVE_TOOL, parse(CalendarMove, zoned)
        words = json.dumps(dict(args), sort_keys=True, ensure_ascii=False)
        return CREATE_TOOL, parse(CalendarCreate, {**zoned, "event_id": str(uuid5(_EVENTS, words))})


def _why(error: ToolError) -> str:
    return ButlerError.from_detail(error.error).message if error.error is not None else "it failed"


def _may_be_done(error: ToolError) -> bool:
    """Return whether nobody refused, but the provider's answer was lost on its way, or never came."""
    said = error.error
    return said is None or (said.error_class in _LOST and said.original_class != "unauthorized")
