"""Takes `connector.heartbeat.v1` without making anybody wait (SWB-21, CNX-11.8, D3).

A beat is checked and authorised on arrival, answered, and written by the one task that owns the queue. The queue is
bounded; while the database is away beats wait, and a newer beat of the same instance replaces the older one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from butler_contracts.errors import ButlerError, OverloadRejected
from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.parse import parse
from butler_kit.auth import Caller, authorize_connector
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.liveness import BeatKind

__all__ = ["ConnectorEvents", "Connectors"]

_log = get_logger(__name__)

CAPACITY: Final = 1_000
BATCH: Final = 200
"""The most beats in one transaction."""
PACE_S: Final = 0.5
"""The pause between writes: an idle Switchboard writes a beat at once, many are written together."""
RETRY_S: Final = 2.0
_Key = tuple[str, str, str]


class ConnectorEvents(Protocol):
    """The metrics events of heartbeats."""

    def connector_beat(self, connector_type: str, status: str) -> None: ...


@dataclass(frozen=True, slots=True)
class _Waiting:
    beat: ConnectorHeartbeatV1
    received: float


class Connectors:
    """`heartbeat` is called by the tool; `run` owns the queue."""

    def __init__(
        self, *, store: ConnectorStore, clock: Clock, events: ConnectorEvents, capacity: int = CAPACITY
    ) -> None:
        self._store = store
        self._clock = clock
        self._events = events
        self._capacity = capacity
        self._waiting: OrderedDict[_Key, _Waiting] = OrderedDict()
        self._arrived = asyncio.Event()

    def heartbeat(self, caller: Caller, document: Mapping[str, Any]) -> None:
        """Take one beat for its connector. Raises `ContractViolation`, `Forbidden`, `OverloadRejected`."""
        beat = parse(ConnectorHeartbeatV1, document)
        who = beat.connector
        authorize_connector(caller, who.connector_type, who.endpoint_identity)
        key = (who.connector_type, who.endpoint_identity, str(who.instance_id))
        known = self._waiting.get(key)
        if known is None and len(self._waiting) >= self._capacity:
            raise OverloadRejected("too many heartbeats wait to be written", retry_after_s=10.0)
        if known is None or known.beat.status.uptime_s < beat.status.uptime_s:
            self._waiting[key] = _Waiting(beat, self._clock.monotonic())
        self._arrived.set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Write beats until stopped, then write the remaining ones once."""
        stop = asyncio.create_task(stopping.wait(), name="heartbeats-stop")
        try:
            while not stopping.is_set():
                arrival = asyncio.create_task(self._arrived.wait(), name="heartbeat-arrival")
                await asyncio.wait({arrival, stop}, return_when=asyncio.FIRST_COMPLETED)
                arrival.cancel()
                # Beats that arrive meanwhile are written together.
                await asyncio.wait({stop}, timeout=PACE_S if await self.flush() else RETRY_S)
            await self.flush()
        finally:
            stop.cancel()

    async def flush(self) -> bool:
        """Write the waiting beats in order; return False if the database is away and beats still wait."""
        self._arrived.clear()
        while self._waiting:
            batch = self._batch()
            try:
                await self._write(list(batch.values()))
            except ButlerError as failure:
                _log.warning("heartbeats_not_written", count=len(self._waiting), problem=failure.message)
                self._arrived.set()
                return False
            for key, waiting in batch.items():
                if self._waiting.get(key) is waiting:
                    del self._waiting[key]
        return True

    def _batch(self) -> dict[_Key, _Waiting]:
        """Return the oldest beats, one of each connector."""
        batch: dict[_Key, _Waiting] = {}
        connectors: set[tuple[str, str]] = set()
        for key, waiting in self._waiting.items():
            if key[:2] not in connectors:
                connectors.add(key[:2])
                batch[key] = waiting
            if len(batch) == BATCH:
                break
        return batch

    async def _write(self, batch: Sequence[_Waiting]) -> None:
        """Write all in one transaction, or each by itself if one of them cannot be written."""
        if len(batch) == 1:
            await self._write_one(batch[0])
            return
        try:
            kinds = await self._store.take_batch([(one.beat, self._age_s(one)) for one in batch])
        except ButlerError:
            raise
        except Exception:
            for one in batch:
                await self._write_one(one)
            return
        for one, kind in zip(batch, kinds, strict=True):
            self._told(one, kind)

    async def _write_one(self, waiting: _Waiting) -> None:
        """Write one beat; drop it if it cannot be written, whatever the reason, so that it does not hold up others.

        Raises `ButlerError` if the database is away.
        """
        try:
            kind = await self._store.take(waiting.beat, age_s=self._age_s(waiting))
        except ButlerError:
            raise
        except Exception as refused:
            who = waiting.beat.connector
            _log.exception("heartbeat_dropped", connector=who.endpoint_identity, problem=str(refused))
            self._events.connector_beat(who.connector_type, "dropped")
            return
        self._told(waiting, kind)

    def _told(self, waiting: _Waiting, kind: BeatKind) -> None:
        who = waiting.beat.connector
        if kind is BeatKind.RESTART:
            _log.info("connector_restarted", connector=who.endpoint_identity, instance=str(who.instance_id))
        self._events.connector_beat(who.connector_type, kind.value)

    def _age_s(self, waiting: _Waiting) -> float:
        return max(0.0, self._clock.monotonic() - waiting.received)
