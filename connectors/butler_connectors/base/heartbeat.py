"""Reports to Switchboard at intervals that this connector is alive, and its state (CNX-11, D31).

Invariant: a failed heartbeat is a warning and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_connectors.base.checkpoint import Checkpoint
from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.status import Status
from butler_connectors.base.submit import Switchboard
from butler_connectors.base.waiting import Stopping, pause, unless_stopped
from butler_contracts.heartbeat import (
    ConnectorCheckpointV1,
    ConnectorHeartbeatV1,
    ConnectorIdentityV1,
    ConnectorStatusV1,
)
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock

__all__ = ["Heartbeat", "InFlight", "Instance"]

_BEAT_TIMEOUT_S: Final = 25.0
_FAREWELL_TIMEOUT_S: Final = 3.0
"""A shutdown waits no longer for a Switchboard that is shutting down too."""
_CHANGE_SPACING_S: Final = 10.0
"""The least time between reports of a source that comes and goes."""
_AGAIN_S: Final = 5.0
"""Pause after the first beat that failed; it doubles up to the interval. A new connector is often a moment ahead of
its declaration, and nobody orders a backfill from one that was never heard."""
_log = get_logger(__name__)


@dataclass(frozen=True)
class Instance:
    """This process: a new `instance_id` (UUID4) each start (CNX-11.2).

    `holder` identifies the holder of a lease: the next process in the same place has the same one, and continues at
    once.
    """

    connector_type: str
    endpoint_identity: str
    instance_id: UUID
    version: str | None
    started_monotonic: float
    holder: UUID


class InFlight:
    """Counts the tasks of a process that still work; `idle` is set while none does."""

    def __init__(self) -> None:
        self.idle = asyncio.Event()
        self.idle.set()
        self._working = 0

    def tracked(
        self, work: Callable[[asyncio.Event], Awaitable[None]]
    ) -> Callable[[asyncio.Event], Awaitable[None]]:
        """Return `work`, counted from its start to its end."""

        async def counted(stopping: asyncio.Event) -> None:
            self._working += 1
            self.idle.clear()
            try:
                await work(stopping)
            finally:
                self._working -= 1
                if not self._working:
                    self.idle.set()

        return counted


class Heartbeat:
    """Assembles and sends the beats."""

    def __init__(
        self,
        *,
        instance: Instance,
        switchboard: Switchboard,
        metrics: ConnectorMetrics,
        status: Status,
        checkpoint: Callable[[], Checkpoint | None],
        interval_s: float,
        clock: Clock,
        backfill: bool = False,
    ) -> None:
        self._instance = instance
        self._switchboard = switchboard
        self._metrics = metrics
        self._status = status
        self._checkpoint = checkpoint
        self._interval_s = interval_s
        self._clock = clock
        self._backfill = backfill

    def assemble(self) -> ConnectorHeartbeatV1:
        """Return a beat of the current state."""
        health, checkpoint = self._status.health, self._checkpoint()
        return ConnectorHeartbeatV1(
            connector=ConnectorIdentityV1(
                connector_type=self._instance.connector_type,
                endpoint_identity=self._instance.endpoint_identity,
                instance_id=self._instance.instance_id,
                version=self._instance.version,
            ),
            status=ConnectorStatusV1(
                state=health.state,
                error_message=health.message,
                uptime_s=max(0.0, self._clock.monotonic() - self._instance.started_monotonic),
            ),
            counters=self._metrics.counters(),
            checkpoint=None
            if checkpoint is None
            else ConnectorCheckpointV1(cursor=checkpoint.cursor, updated_at=checkpoint.updated_at),
            capabilities={
                "heartbeat_interval_s": self._interval_s,
                "backfill": self._backfill,
                "source_fault": self._status.source_fault,
            },
            sent_at=self._clock.now(),
        )

    async def run(self, stopping: asyncio.Event) -> None:
        """Beat at once and then every interval, sooner after a failed one, until asked to stop."""
        again_s = _AGAIN_S
        try:
            while True:
                delivered = await self._beat()
                await pause(stopping, self._interval_s if delivered else again_s)
                again_s = _AGAIN_S if delivered else min(2 * again_s, self._interval_s)
        except Stopping:
            return

    async def tell_changes(self, stopping: asyncio.Event) -> None:
        """Also beat when the state has changed, for people who watch; the interval is unaffected."""
        try:
            while True:
                await unless_stopped(self._status.changed.wait(), stopping)
                self._status.changed.clear()
                await self._beat()
                await pause(stopping, _CHANGE_SPACING_S)
        except Stopping:
            return

    async def farewell(self, stopping: asyncio.Event, idle: asyncio.Event) -> None:
        """Beat once more when the process ends and nothing is in flight, to report the last counts."""
        await stopping.wait()
        await idle.wait()
        await self._beat(timeout_s=_FAREWELL_TIMEOUT_S)

    async def _beat(self, *, timeout_s: float = _BEAT_TIMEOUT_S) -> bool:
        """Send a beat; return whether Switchboard took it."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._switchboard.heartbeat(self.assemble())
        except Exception as error:
            self._metrics.error(error, "heartbeat")
            _log.warning("the heartbeat was not delivered", error=f"{type(error).__name__}: {error}")
            return False
        return True
