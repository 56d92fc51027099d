"""Asks every butler that keeps records what it has for one person on one day (ADR 0058)."""

from __future__ import annotations

import asyncio
from typing import Any, Final, Protocol

from butler_contracts.day import DAY_TOOL, DayAsked, DayTold
from butler_contracts.errors import ButlerError
from butler_contracts.parse import parse
from butler_contracts.person_settings import LimitsV1
from butler_kit.telemetry import get_logger
from butler_switchboard.dispatch.limited import may_ask
from butler_switchboard.routing.everybody import keepers_of
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["Asking", "Butlers", "Day"]

_log = get_logger(__name__)

_ASK_S: Final = 6.0


class Butlers(Protocol):
    """The registry."""

    def view(self) -> RegistryView: ...

    def capable(self, name: str, tool: str) -> bool: ...


class Asking(Protocol):
    async def call(
        self, name: str, tool: str, arguments: dict[str, Any], *, claims: dict[str, Any], timeout_s: float
    ) -> dict[str, Any]: ...


class Day:
    """The day of one person, as the household's butlers have it."""

    def __init__(self, butlers: Butlers, asking: Asking) -> None:
        self._butlers = butlers
        self._asking = asking

    async def gathered(self, asked: DayAsked, limits: LimitsV1 | None) -> tuple[list[DayTold], list[str]]:
        """Return the non-empty answers, by name, and who could not be asked; `limits` leaves out some."""
        view = self._butlers.view()
        names = [name for name in keepers_of(view) if limits is None or may_ask(limits, name)]
        answers = await asyncio.gather(*(self._asked(name, asked, view) for name in names))
        left_out = [name for name, told in zip(names, answers, strict=True) if told is None]
        return [told for told in answers if told is not None and told.text], left_out

    async def _asked(self, name: str, asked: DayAsked, view: RegistryView) -> DayTold | None:
        if not view.eligible(name) or not self._butlers.capable(name, DAY_TOOL):
            return None
        try:
            answer = await self._asking.call(name, DAY_TOOL, asked.to_wire(), claims={}, timeout_s=_ASK_S)
            return parse(DayTold, answer)
        except ButlerError as failure:
            _log.warning("day_not_answered", butler=name, problem=failure.message)
            return None
