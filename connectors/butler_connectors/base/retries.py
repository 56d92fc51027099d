"""Submits parked messages again, at each start and with growing pauses, until Switchboard takes them.

One at a time, the oldest due one first. A message taken late comes after those of its chat that passed meanwhile; it
waits for its turn in the chat, so that no two are in flight at once (D11).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from butler_connectors.base.documents import DocumentFault
from butler_connectors.base.park import Parked
from butler_connectors.base.parking import Parking
from butler_connectors.base.runner import Runner
from butler_connectors.base.submit import Accepted, Refused, TryLater
from butler_connectors.base.waiting import Stopping, unless_stopped
from butler_contracts.errors import ValidationFailed
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock

__all__ = ["FIRST_S", "LAST_S", "ParkedRetries", "pause_s"]

FIRST_S: Final = 60.0
LAST_S: Final = 3_600.0
_AWAY_S: Final = 30.0
"""Pause when Switchboard cannot be reached at all, which says nothing about the message."""
_log = get_logger(__name__)


def pause_s(tries: int, draw: float, *, first_s: float) -> float:
    """Seconds before the next try after `tries` (≥ 1): doubling to an hour, spread; `draw` is random in [0, 1)."""
    return min(LAST_S, first_s * 2.0 ** min(tries - 1, 12)) * (0.5 + draw / 2)


@dataclass
class _Due:
    at: float
    tries: int = 0


class ParkedRetries:
    """`run` until asked to stop."""

    def __init__(
        self,
        runner: Runner,
        *,
        clock: Clock,
        draw: Callable[[], float],
        first_s: float = FIRST_S,
    ) -> None:
        self._runner = runner
        self._parking: Parking = runner.parking
        self._clock = clock
        self._draw = draw
        self._first_s = first_s
        self._due: dict[int, _Due] = {}

    async def run(self, stopping: asyncio.Event) -> None:
        """Retry all messages parked already at once, then those parked meanwhile, each after its pause."""
        try:
            await self._runner.keeping.until_done("park", self._parking.load, stopping)
            started = self._clock.monotonic()
            self._due = {parked.number: _Due(started) for parked in self._parking.kept}
            while True:
                parked = self._next()
                if parked is None:
                    await self._wait(stopping)
                else:
                    await self._try(parked, stopping)
        except Stopping:
            return

    def _next(self) -> Parked | None:
        """Return the oldest message that is due."""
        now = self._clock.monotonic()
        for parked in self._parking.kept:
            due = self._due.setdefault(
                parked.number, _Due(now + pause_s(1, self._draw(), first_s=self._first_s))
            )
            if due.at <= now:
                return parked
        return None

    async def _wait(self, stopping: asyncio.Event) -> None:
        now = self._clock.monotonic()
        soonest = min((self._due[parked.number].at for parked in self._parking.kept), default=now + LAST_S)
        try:
            async with asyncio.timeout(max(0.0, soonest - now)):
                await unless_stopped(self._parking.changed.wait(), stopping)
        except TimeoutError:
            return
        self._parking.changed.clear()

    async def _try(self, parked: Parked, stopping: asyncio.Event) -> None:
        try:
            envelope = await self._parking.envelope(parked)
        except (DocumentFault, ValidationFailed) as error:
            _log.error("a parked message cannot be read", error=str(error))
            self._later(parked)
            return
        outcome = await self._runner.submit_apart(parked.thread, envelope, stopping)
        if isinstance(outcome, TryLater):
            self._later(parked, suspect=outcome.suspect)
            return
        if isinstance(outcome, Refused):
            await self._runner.refuse(parked.event_id, outcome.reason, outcome.message)
        await self._parking.remove(parked)
        self._due.pop(parked.number, None)
        if isinstance(outcome, Accepted):
            _log.info(
                "a parked message was taken", event_id=parked.event_id, request_id=str(outcome.request_id)
            )
            self._all_now()

    def _later(self, parked: Parked, *, suspect: bool = True) -> None:
        due = self._due[parked.number]
        now = self._clock.monotonic()
        if suspect:
            due.tries += 1
            due.at = now + pause_s(due.tries + 1, self._draw(), first_s=self._first_s)
            return
        for other in self._due.values():
            other.at = max(other.at, now + _AWAY_S)

    def _all_now(self) -> None:
        """Make all due now: what was wrong with one may be fixed for all."""
        now = self._clock.monotonic()
        for due in self._due.values():
            due.at = min(due.at, now)
