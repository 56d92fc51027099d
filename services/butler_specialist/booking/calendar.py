"""The household's calendar, reached through Switchboard's tools `calendar_*` (SWB-24.2)."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from butler_contracts.base import ContractModel
from butler_contracts.calendar import (
    CREATE_TOOL,
    DELETE_TOOL,
    LIST_TOOL,
    MOVE_TOOL,
    Booking,
    CalendarCreate,
    CalendarDelete,
    CalendarList,
    CalendarMove,
    CalendarPeriod,
    Deleted,
)
from butler_contracts.call_approvals import is_of_before
from butler_contracts.errors import ButlerError, InternalFailure, TargetUnavailable
from butler_contracts.parse import parse
from butler_kit.mcp import ToolCalls, ToolError

__all__ = ["HouseholdCalendar"]

_WRITE_S: Final = 40.0
_READ_S: Final = 15.0
_T = TypeVar("_T", bound=ContractModel)


class HouseholdCalendar:
    """Client of the calendar.

    Raises `ButlerError`: a refusal by the provider is not retryable, an outage is.
    """

    def __init__(self, tools: ToolCalls) -> None:
        self._tools = tools

    async def list(self, period: CalendarPeriod) -> CalendarList:
        return await self._asked(LIST_TOOL, period, CalendarList, _READ_S)

    async def create(self, wish: CalendarCreate) -> Booking:
        """Create an event.

        A Messenger of the previous release, which refuses unknown fields, is waited for.
        """
        return await self._asked(CREATE_TOOL, wish, Booking, _WRITE_S)

    async def move(self, wish: CalendarMove) -> Booking:
        return await self._asked(MOVE_TOOL, wish, Booking, _WRITE_S)

    async def delete(self, wish: CalendarDelete) -> Deleted:
        return await self._asked(DELETE_TOOL, wish, Deleted, _WRITE_S)

    async def _asked(self, tool: str, wish: ContractModel, answer: type[_T], timeout_s: float) -> _T:
        args: dict[str, Any] = wish.model_dump(mode="json", exclude_none=True)
        try:
            return parse(answer, await self._tools.call(tool, args, timeout_s=timeout_s))
        except ToolError as error:
            if error.error is None:
                raise InternalFailure(f"switchboard refused {tool}", retryable=True) from error
            if is_of_before(error.error.message) or "is not a known field" in error.error.message:
                raise TargetUnavailable("nobody keeps a calendar yet: a release before") from error
            raise ButlerError.from_detail(error.error) from error
        except OSError as error:
            raise TargetUnavailable(f"switchboard does not answer: {error}") from error
