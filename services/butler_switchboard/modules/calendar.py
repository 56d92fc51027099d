"""Passes butlers' requests on to the household's calendar, which Messenger holds (SWB-24.2, D53).

Invariant: Messenger is told on whose behalf; nothing is kept here, as a request names its event and may be repeated.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from butler_contracts.calendar import STATUS_TOOL, CalendarWord
from butler_contracts.errors import ButlerError, TargetUnavailable
from butler_contracts.parse import parse
from butler_kit.telemetry import get_logger
from butler_switchboard.dispatch.lifecycle import MESSENGER
from butler_switchboard.dispatch.targets import Targets

__all__ = ["CalendarPassing"]

_log = get_logger(__name__)

_TIMEOUT_S: Final = 45.0
"""A little longer than Messenger's own timeout, because its answer says more."""
_WORD_S: Final = 3.0


class Members(Protocol):
    """The registry."""

    def capable(self, name: str, tool: str) -> bool: ...


class CalendarPassing:
    """Calls Messenger's tools of the same names."""

    def __init__(self, targets: Targets, members: Members) -> None:
        self._targets = targets
        self._members = members

    async def pass_on(self, butler: str, tool: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Return Messenger's answer to `butler`. Raises its refusal, or `TargetUnavailable`."""
        if not self._members.capable(MESSENGER, tool):
            raise TargetUnavailable("messenger has not started yet, or is of a release without a calendar")
        return await self._targets.call(
            MESSENGER, tool, asked, claims={"origin": butler}, timeout_s=_TIMEOUT_S
        )

    async def word(self) -> CalendarWord | None:
        """Return the state of the calendar; None if Messenger cannot tell it now."""
        if not self._members.capable(MESSENGER, STATUS_TOOL):
            return None
        try:
            said = await self._targets.call(MESSENGER, STATUS_TOOL, {}, claims={}, timeout_s=_WORD_S)
            return parse(CalendarWord, said)
        except ButlerError as failure:
            _log.warning("calendar_not_asked", problem=failure.message)
            return None
