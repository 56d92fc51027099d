"""`/ops/v1/calendar`: how the household's calendar stands, read by operator and dashboard."""

from __future__ import annotations

from typing import Annotated, Any

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import Reader, handed
from butler_messenger.calendar.desk import CalendarDesk

__all__ = ["reading_calendar"]

Desk = Annotated[CalendarDesk, handed(CalendarDesk)]
reading_calendar = ops_router()
"""How it stands."""


@reading_calendar.get("/calendar")
async def calendar(desk: Desk, _: Reader) -> dict[str, Any]:
    """Its provider, the conflicts policy, whether it is on and well, and in words why not."""
    return desk.word().to_wire()
