"""Lets one of several instances read a source while the others stand by (CNX-17.1, D33).

Invariants: the work of a source runs only within a term, which ends a margin before another instance could get the
lease, whatever happens to the calls; what a late instance still does is refused by Switchboard (`kept`) or is a
duplicate there. The lease is given back when the work is done, so that the next instance begins at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from butler_connectors.base.heartbeat import Instance
from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.status import Status
from butler_connectors.base.submit import FAILURES, Switchboard
from butler_connectors.base.waiting import Stopping, pause
from butler_contracts.sources import LeaseAsked, LeaseGiven
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock

__all__ = ["LEASE_S", "Leading", "Work"]

LEASE_S: Final = 20.0
"""After a crash another instance takes over at the latest this long after the last renewal, plus a look."""
_MARGIN: Final = 0.15
"""The share of the lease that is left when work ends without a renewal."""
_RENEW: Final = 0.25
"""The share of the lease between two renewals."""
_LOOK_S: Final = 2.0
_CALL_S: Final = 5.0
_PART: Final = "lease"
_log = get_logger(__name__)

Work = Callable[[asyncio.Event], Awaitable[None]]


class Leading:
    """`run` until asked to stop: stand by, work while the lease is held, stand by again.

    `begin` is called with the token of each lease and a callback that ends the term, before any work in it.
    """

    def __init__(
        self,
        *,
        switchboard: Switchboard,
        instance: Instance,
        begin: Callable[[int, Callable[[], None]], None],
        works: Sequence[Work],
        status: Status,
        metrics: ConnectorMetrics,
        clock: Clock,
        draw: Callable[[], float],
        lease_s: float = LEASE_S,
    ) -> None:
        self._switchboard = switchboard
        self._instance = instance
        self._begin = begin
        self._works = tuple(works)
        self._status = status
        self._metrics = metrics
        self._clock = clock
        self._draw = draw
        self._lease_s = lease_s
        self._until = 0.0
        """Until when, on our own clock, the lease is certainly ours."""

    async def run(self, stopping: asyncio.Event) -> None:
        """Run one term after another, until asked to stop."""
        with suppress(Stopping):
            while True:
                token = await self._taken(stopping)
                try:
                    await self._term(token, stopping)
                finally:
                    self._status.forget(but=_PART)
                await pause(stopping, _LOOK_S)

    async def _taken(self, stopping: asyncio.Event) -> int:
        """Ask until the lease is ours; return its token. Raises `Stopping`."""
        while True:
            given = await self._asked()
            if given is not None and given.held:
                self._status.standby = False
                return given.token
            if given is not None:
                self._status.standby = True
            await pause(stopping, _LOOK_S * (0.75 + self._draw() / 2))

    async def _term(self, token: int, stopping: asyncio.Event) -> None:
        """Work until the stop, or until the lease is no longer certainly ours; then give it back."""
        ended = asyncio.Event()
        self._begin(token, ended.set)
        self._metrics.leads(True)
        _log.info("this instance reads the source now", lease=token)
        await reached_async(points.LEASE_TAKEN)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep(token, stopping, ended), name="keep the lease")
                for work in self._works:
                    group.create_task(_watched(work, ended))
        finally:
            self._metrics.leads(False)
        _log.info("this instance reads the source no more", lease=token)
        await self._asked(release=True)

    async def _keep(self, token: int, stopping: asyncio.Event, ended: asyncio.Event) -> None:
        """Renew the lease; set `ended` on the stop, and before another instance can get the lease."""
        try:
            while not stopping.is_set() and not ended.is_set():
                with suppress(Stopping):
                    await pause(stopping, min(_RENEW * self._lease_s, max(0.0, self._left_s())))
                if stopping.is_set() or self._left_s() <= 0:
                    return
                given = await self._asked(within_s=self._left_s())
                if given is not None and (not given.held or given.token != token):
                    return
        finally:
            ended.set()

    def _left_s(self) -> float:
        return self._until - self._clock.monotonic()

    async def _asked(self, *, release: bool = False, within_s: float = _CALL_S) -> LeaseGiven | None:
        """Return Switchboard's answer; None if there is none."""
        asked = LeaseAsked(
            connector_type=self._instance.connector_type,
            endpoint_identity=self._instance.endpoint_identity,
            instance_id=self._instance.holder,
            seconds=self._lease_s,
            release=release,
        )
        began = self._clock.monotonic()
        try:
            async with asyncio.timeout(min(_CALL_S, within_s)):
                given = await self._switchboard.lease(asked)
        except (*FAILURES, TimeoutError) as error:
            self._metrics.error(error, "lease")
            self._status.trouble(
                _PART, "degraded", f"Switchboard does not say who reads this source: {error}"
            )
            _log.warning("the lease cannot be asked for", error=str(error))
            return None
        self._status.clear(_PART)
        if given.held and not release:
            self._until = began + (1 - _MARGIN) * self._lease_s
        return given


async def _watched(work: Work, ended: asyncio.Event) -> None:
    await work(ended)
