"""Connectors in PostgreSQL: heartbeats, eligibility sweeps and operators' holds (SWB-21, CNX-11, CNX-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import asyncpg
import structlog

from butler_contracts.errors import NotFound
from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_kit.db import Connection, NamedQueries, Pool, acquire, lacks_partition, transaction
from butler_kit.operations import Acting
from butler_switchboard.registry.eligibility import State
from butler_switchboard.registry.liveness import (
    BeatKind,
    LivenessPolicy,
    Seen,
    beat_kind,
    eligibility,
    eligibility_reason,
    liveness,
)
from butler_switchboard.registry.store import Transition, log_transition

__all__ = ["ConnectorStore", "UnknownConnector"]

_SQL = NamedQueries("butler_switchboard", "sql/connectors.sql")
_MAKE_HEARTBEAT_DAYS: Final = NamedQueries("butler_switchboard", "sql/partitions.sql")["make_heartbeat_days"]
_BEHIND: Final = timedelta(days=1)
_log = structlog.get_logger(__name__)
UPTIME_MAX_S: Final = 10 * 365 * 86_400.0
DEFAULT_INTERVAL_S: Final = 120.0
"""The interval of a beat whose `capabilities.heartbeat_interval_s` is missing or null (D31)."""

FEW_BEATS: Final = 20
"""Up to this many at once are planned one by one. A plan for every day serves many faster, but its connection then
knows each of the hundred days ahead: 8 MB that a household of a few connectors would hold for nothing."""
_REPEATED_WITHIN: Final = timedelta(days=1)
_AHEAD: Final = timedelta(hours=1)


class UnknownConnector(NotFound):
    """No connector with that identity ever sent a beat (HTTP 404)."""


@dataclass(frozen=True)
class _Known:
    seen: Seen
    state: State
    quarantined: bool


class ConnectorStore:
    """Writes beats and states; rows of connectors are never deleted (CNX-12.4)."""

    def __init__(self, pool: Pool, policy: LivenessPolicy) -> None:
        self._pool = pool
        self._policy = policy

    async def take(self, beat: ConnectorHeartbeatV1, *, age_s: float) -> BeatKind:
        """Record a beat that was received `age_s` seconds ago; return its kind."""
        try:
            return await self._take(beat, age_s)
        except asyncpg.CheckViolationError as refused:
            # After a clock jump the day may be missing until the next sweep.
            if not lacks_partition(refused, "connector_heartbeat_log"):
                raise
        await self._make_days()
        return await self._take(beat, age_s)

    async def take_batch(self, beats: Sequence[tuple[ConnectorHeartbeatV1, float]]) -> list[BeatKind]:
        """Record beats of different connectors, each with its age in seconds, in one transaction.

        Raises asyncpg's error if the database refuses one of them; none is recorded then.
        """
        # One order for all replicas prevents deadlocks.
        order = sorted(range(len(beats)), key=lambda number: _key(beats[number][0]))
        kinds: dict[int, BeatKind] = {}
        logged, changed = [], []
        async with transaction(self._pool, doing="recording heartbeats") as connection:
            now: datetime = await connection.fetchval(_SQL["now"])
            seen = await self._lock_all(connection, [_key(beats[number][0]) for number in order])
            for number in order:
                beat, age_s = beats[number]
                received_at, known = now - timedelta(seconds=age_s), seen.get(_key(beat))
                if known is None:
                    kinds[number] = await self._take_in(connection, beat, received_at)
                    continue
                kind = kinds[number] = self._kind(beat, known, received_at)
                if kind is not BeatKind.LATE:
                    logged.append(_logged(beat, received_at))
                if kind in (BeatKind.NEXT, BeatKind.RESTART):
                    changed.append((beat, known, received_at))
            await self._update(connection, changed)
            await _append(connection, logged)
        return [kinds[number] for number in range(len(beats))]

    async def _make_days(self) -> None:
        async with acquire(self._pool, doing="making a partition") as connection:
            now: datetime = await connection.fetchval(_SQL["now"])
            await connection.fetch(_MAKE_HEARTBEAT_DAYS, now - _BEHIND, now)
        _log.warning("heartbeat_days_made_late", why="no sweep has been here: did the clock jump?")

    async def _take(self, beat: ConnectorHeartbeatV1, age_s: float) -> BeatKind:
        async with transaction(self._pool, doing="recording a heartbeat") as connection:
            now: datetime = await connection.fetchval(_SQL["now"])
            return await self._take_in(connection, beat, now - timedelta(seconds=age_s))

    async def _take_in(
        self, connection: Connection, beat: ConnectorHeartbeatV1, received_at: datetime
    ) -> BeatKind:
        known = await self._lock(connection, *_key(beat))
        if known is None and not await self._add(connection, beat, received_at):
            known = await self._lock(connection, *_key(beat))
        kind = self._kind(beat, known, received_at)
        if known is not None and kind in (BeatKind.NEXT, BeatKind.RESTART):
            await self._update(connection, [(beat, known, received_at)])
        if kind is not BeatKind.LATE:
            await _append(connection, [_logged(beat, received_at)])
        return kind

    def _kind(self, beat: ConnectorHeartbeatV1, known: _Known | None, received_at: datetime) -> BeatKind:
        return beat_kind(
            known.seen if known else None,
            beat.connector.instance_id,
            uptime_s=_uptime_s(beat),
            received_at=received_at,
            policy=self._policy,
        )

    async def all(self) -> list[dict[str, Any]]:
        """Return every connector with its liveness now."""
        async with acquire(self._pool, doing="reading connectors") as connection:
            rows = await connection.fetch(_SQL["connectors"])
        return [self._shown(dict(row)) for row in rows]

    async def sweep(self) -> dict[str, int]:
        """Record the states that time alone has changed; a concurrent beat wins."""
        everyone = await self.all()
        changed = 0
        for one in everyone:
            state = State(one["eligibility_now"])
            if state.value != one["eligibility_state"] and await self._expire(one, state):
                changed += 1
        return {"connectors": len(everyone), "changed": changed}

    async def set_hold(
        self, acting: Acting, connector_type: str, endpoint_identity: str, *, hold: bool
    ) -> str:
        """Hold a connector or release it, as ordered; return its state. Raises `UnknownConnector`."""
        connection, order = acting.connection, acting.order
        subject = f"{connector_type}:{endpoint_identity}"
        known = await self._lock(connection, connector_type, endpoint_identity)
        if known is None:
            raise UnknownConnector(f"connector '{subject}' is not known; expected one that has sent a beat")
        now: datetime = await connection.fetchval(_SQL["now"])
        last = known.seen.last_heartbeat_at
        state = eligibility(last, quarantined=hold, now=now, policy=self._policy)
        because = order.reason if hold else None
        await connection.execute(
            _SQL["set_quarantine"], connector_type, endpoint_identity, state.value, because, now
        )
        verb = "quarantine" if hold else "release"
        if state is not known.state:
            change = Transition(
                "connector", subject, known.state, state, f"operator_{verb}", order.who, last, now
            )
            await log_transition(connection, change)
        return state.value

    async def _lock(self, connection: Connection, kind: str, endpoint: str) -> _Known | None:
        row = await connection.fetchrow(_SQL["lock_connector"], kind, endpoint)
        return None if row is None else _known(row)

    async def _lock_all(
        self, connection: Connection, keys: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], _Known]:
        """Lock and return the connectors of `keys` that are registered."""
        rows = await connection.fetch(
            _SQL["lock_connectors"], [kind for kind, _ in keys], [endpoint for _, endpoint in keys]
        )
        return {(row["connector_type"], row["endpoint_identity"]): _known(row) for row in rows}

    async def _add(self, connection: Connection, beat: ConnectorHeartbeatV1, received_at: datetime) -> bool:
        """Add a connector; return False if another replica added it meanwhile."""
        added = await connection.fetchval(_SQL["add_connector"], *_described(beat, received_at))
        if added is None:
            return False
        await log_transition(connection, _change(beat, None, State.ACTIVE, None, received_at))
        return True

    async def _update(
        self, connection: Connection, changed: Sequence[tuple[ConnectorHeartbeatV1, _Known, datetime]]
    ) -> None:
        rows = []
        for beat, known, received_at in changed:
            last = max(known.seen.last_heartbeat_at, received_at)
            state = eligibility(last, quarantined=known.quarantined, now=received_at, policy=self._policy)
            rows.append((*_described(beat, received_at), state.value))
            if state is not known.state:
                previous_seen = known.seen.last_heartbeat_at
                change = _change(beat, known.state, state, previous_seen, received_at)
                await log_transition(connection, change)
        await connection.executemany(_SQL["update_connector"], rows)

    async def _expire(self, row: Mapping[str, Any], state: State) -> bool:
        kind, endpoint = row["connector_type"], row["endpoint_identity"]
        previous, last, now = _state(row["eligibility_state"]), row["last_heartbeat_at"], row["now"]
        async with transaction(self._pool, doing="sweeping connectors") as connection:
            changed = await connection.fetchval(
                _SQL["set_eligibility"], kind, endpoint, row["eligibility_state"], state.value, last, now
            )
            if changed is None:
                return False
            reason = eligibility_reason(previous, state)
            change = Transition(
                "connector", f"{kind}:{endpoint}", previous, state, reason, "eligibility-sweep", last, now
            )
            await log_transition(connection, change)
        return True

    def _shown(self, row: dict[str, Any]) -> dict[str, Any]:
        last, now = row["last_heartbeat_at"], row["now"]
        quarantined = row["quarantine_reason"] is not None
        state = eligibility(last, quarantined=quarantined, now=now, policy=self._policy)
        return {**row, "liveness": liveness(last, now, self._policy).value, "eligibility_now": state.value}


async def _append(connection: Connection, logged: Sequence[tuple[Any, ...]]) -> None:
    """Log beats as the last statement of a transaction, because it may change how statements are planned."""
    if not logged:
        return
    if len(logged) <= FEW_BEATS:
        await connection.execute(_SQL["plan_each_time"])
    await connection.executemany(_SQL["append_beat"], logged)


def _key(beat: ConnectorHeartbeatV1) -> tuple[str, str]:
    return beat.connector.connector_type, beat.connector.endpoint_identity


def _known(row: asyncpg.Record) -> _Known:
    seen = Seen(row["instance_id"], row["instance_started_at"], row["uptime_s"], row["last_heartbeat_at"])
    return _Known(seen, _state(row["eligibility_state"]), row["quarantine_reason"] is not None)


def _state(stored: str) -> State:
    """Treat a state of another version as stale: the next beat or sweep judges again."""
    return State(stored) if stored in frozenset(State) else State.STALE


def _change(
    beat: ConnectorHeartbeatV1, previous: State | None, state: State, seen: datetime | None, at: datetime
) -> Transition:
    who = beat.connector
    return Transition(
        kind="connector",
        subject=f"{who.connector_type}:{who.endpoint_identity}",
        previous_state=previous.value if previous else "unknown",
        new_state=state.value,
        reason=eligibility_reason(previous, state),
        actor=str(who.instance_id),
        previous_seen_at=seen,
        observed_at=at,
    )


def _uptime_s(beat: ConnectorHeartbeatV1) -> float:
    return min(beat.status.uptime_s, UPTIME_MAX_S)


def _described(beat: ConnectorHeartbeatV1, received_at: datetime) -> tuple[Any, ...]:
    checkpoint = beat.checkpoint
    return (
        beat.connector.connector_type,
        beat.connector.endpoint_identity,
        beat.connector.instance_id,
        received_at - timedelta(seconds=_uptime_s(beat)),
        beat.connector.version,
        beat.status.state,
        beat.status.error_message,
        _uptime_s(beat),
        beat.counters.to_wire(),
        checkpoint.cursor if checkpoint else None,
        min(checkpoint.updated_at, received_at) if checkpoint else None,  # its clock may be ahead
        dict(beat.capabilities),
        received_at,
    )


def _logged(beat: ConnectorHeartbeatV1, received_at: datetime) -> tuple[Any, ...]:
    counters = beat.counters
    return (
        beat.connector.connector_type,
        beat.connector.endpoint_identity,
        beat.connector.instance_id,
        received_at,
        beat.sent_at,
        beat.status.state,
        beat.status.error_message,
        _uptime_s(beat),
        float(beat.capabilities.get("heartbeat_interval_s") or DEFAULT_INTERVAL_S),
        counters.messages_ingested,
        counters.messages_failed,
        counters.source_api_calls,
        counters.checkpoint_saves,
        counters.dedupe_accepted,
        received_at - _REPEATED_WITHIN,
        received_at + _AHEAD,
    )
