"""Acquire the Lease, work while it is renewed, stop before another may begin, release it on a clean exit.

Invariants: `leading` runs only between a renewal and `Terms.renew_s` after it was sent, and its task has ended before
the Lease is released; after that time writes to the cluster are refused, even if the process was suspended.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from uuid import uuid4

from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_operator.cluster.client import Cluster
from butler_operator.cluster.errors import ClusterError
from butler_operator.leadership.lease import Seen, Step, Terms, released, seen, step, taken
from butler_operator.metrics import OperatorMetrics

__all__ = ["Leadership"]

_log = get_logger(__name__)
RELEASE_S = 3.0
Work = Callable[[], Awaitable[None]]


def _end_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


class Leadership:
    """Leader election by `run(leading=…)`; without a Lease name there are no rivals: work begins at once."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        clock: Clock,
        metrics: OperatorMetrics,
        namespace: str,
        name: str | None,
        terms: Terms,
        identity: str | None = None,
        afresh: Callable[[], None] = _end_process,
    ) -> None:
        self._cluster = cluster
        self._clock = clock
        self._metrics = metrics
        self._namespace, self._name = namespace, name
        self._terms = terms
        self.identity = identity or f"{os.environ.get('HOSTNAME', 'butlers-operator')}_{uuid4().hex[:8]}"
        self._afresh = afresh
        self._known: Seen | None = None
        self._until = float("inf") if name is None else float("-inf")
        self._led: int | None = None
        """The Lease's transition count when this process last led."""

    def holds(self) -> bool:
        """Whether this process may write now."""
        return self._clock.monotonic() < self._until

    async def run(self, *, leading: Work) -> None:
        """Lead whenever it is this process's turn, until cancelled."""
        self._metrics.set("butlers.operator.leader", float(self._name is None))
        if self._name is None:
            await leading()
            return
        self._cluster.fence = self.holds
        while True:
            await self._wait_for_turn()
            if self._others_led():
                # What others did meanwhile is not in this process's memory.
                _log.warning("leader_afresh", identity=self.identity)
                self._afresh()
                await asyncio.Event().wait()
            await self._lead(leading)

    async def _wait_for_turn(self) -> None:
        told = ""
        while not await self._attempt():
            holder = "" if self._known is None else self._known.holder
            if holder != told:
                _log.info("standing_by", identity=self.identity, leader=holder)
                told = holder
            await asyncio.sleep(self._terms.retry_s)

    def _others_led(self) -> bool:
        transitions = 0 if self._known is None else self._known.transitions
        before, self._led = self._led, transitions
        return before is not None and transitions != before

    async def _lead(self, leading: Work) -> None:
        """Lead until the Lease is lost; raises what `leading` raises."""
        _log.info("leading", identity=self.identity, transitions=self._led)
        self._metrics.set("butlers.operator.leader", 1)
        work = asyncio.ensure_future(leading())
        ended = False
        try:
            await self._renew_until_lost(work)
            if work.done():
                work.result()
        except BaseException:
            ended = True
            raise
        finally:
            self._metrics.set("butlers.operator.leader", 0)
            held = self.holds()
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            self._until = float("-inf")
            if held and ended:
                await self._release()
        _log.warning("leader_lost", identity=self.identity)

    async def _renew_until_lost(self, work: asyncio.Future[None]) -> None:
        while not work.done() and self.holds():
            left = self._until - self._clock.monotonic()
            await asyncio.wait({work}, timeout=min(self._terms.retry_s, left))
            if not work.done() and self.holds():
                await self._attempt()
                if self._known is not None and self._known.holder not in ("", self.identity):
                    return

    async def _attempt(self) -> bool:
        """Read the Lease and act on it; return whether it was taken or renewed."""
        sent = self._clock.monotonic()
        left = self._until - sent if self.holds() else self._terms.renew_s
        try:
            async with asyncio.timeout(left):
                return await self._try(sent)
        except (ClusterError, TimeoutError) as error:
            _log.debug("lease_not_written", identity=self.identity, problem=repr(error))
            return False

    async def _try(self, sent: float) -> bool:
        assert self._name is not None  # noqa: S101 - `run` does not come here without
        body = await self._cluster.get("Lease", self._namespace, self._name)
        self._known = seen(self._known, body, self._clock.monotonic())
        todo = step(self._known, self.identity, self._terms, self._clock.monotonic())
        if todo is Step.WAIT:
            return False
        spec = taken(self._known, self.identity, self._terms, self._clock.now())
        written = await self._cluster.write_lease(self._namespace, self._name, spec, over=body)
        self._known = Seen(written, self._clock.monotonic())
        self._until = sent + self._terms.renew_s
        return True

    async def _release(self) -> None:
        """Release the Lease so that the next holder begins at once, not only when the Lease expires."""
        if self._known is None or self._name is None:
            return
        try:
            async with asyncio.timeout(RELEASE_S):
                spec = released(self._clock.now())
                await self._cluster.write_lease(self._namespace, self._name, spec, over=self._known.body)
            _log.info("lease_released", identity=self.identity)
        except (ClusterError, TimeoutError) as error:
            _log.warning("lease_not_released", identity=self.identity, problem=repr(error))
