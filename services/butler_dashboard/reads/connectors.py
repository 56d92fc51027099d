"""Connectors: their current state and their statistics (SWB-43, CNX-14, CNX-15)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_contracts.liveness import Liveness, LivenessPolicy, liveness
from butler_contracts.text import excerpt
from butler_dashboard.reads.connector_models import (
    ConnectorCheckpoint,
    ConnectorDetail,
    ConnectorError,
    ConnectorErrorList,
    ConnectorFanout,
    ConnectorFanoutEntry,
    ConnectorFleet,
    ConnectorFleetEntry,
    ConnectorList,
    ConnectorStanding,
    ConnectorStats,
    ConnectorSummary,
    ConnectorToday,
    ConnectorVolume,
    ConnectorVolumeEntry,
    FanoutPeriod,
    Period,
    Transition,
)
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import END_OF_TIME, NEWEST_ID, moment, read_cursor, text, write_cursor
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.statistics import Span, bucket_of, series_of, share_pct, span_of, sums_of
from butler_kit.db import NamedQueries

__all__ = [
    "ConnectorFilter",
    "UnknownConnector",
    "connector_detail",
    "connector_errors",
    "connector_fanout",
    "connector_fleet",
    "connector_standing",
    "connector_stats",
    "connector_volume",
    "list_connectors",
]

_SQL: Final = NamedQueries("butler_dashboard", "sql/connectors.sql")
_TRANSITIONS_SHOWN: Final = 50
_LAST_ENTRY: Final = 2**63 - 1
Key = tuple[str, str]


class UnknownConnector(NotFound):
    """No connector of that identity ever sent a beat (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class ConnectorFilter:
    """What to look for; None leaves a field open."""

    connector_type: str | None = None
    liveness: Liveness | None = None
    state: str | None = None

    def ages(self, policy: LivenessPolicy) -> tuple[float | None, float | None]:
        """Return the bounds (from, below), in seconds since the last beat, of the wanted liveness."""
        match self.liveness:
            case Liveness.ONLINE:
                return None, policy.online_s
            case Liveness.STALE:
                return policy.online_s, policy.offline_s
            case Liveness.OFFLINE:
                return policy.offline_s, None
        return None, None


async def list_connectors(
    reader: Reader, wanted: ConnectorFilter, *, limit: int, cursor: str | None = None
) -> ConnectorList:
    """Return one page of known connectors by type and identity (SWB-43.1)."""
    after = read_cursor(cursor, text, text) if cursor else ("", "")
    async with reader.connection("listing connectors") as connection:
        rows = await connection.fetch(
            _SQL["page"],
            *after,
            reader.timezone.key,
            wanted.connector_type,
            wanted.state,
            *wanted.ages(reader.policy),
            limit + 1,
        )
    page = [ConnectorSummary(**_summary(row, reader.policy)) for row in rows[:limit]]
    more = len(rows) > limit
    return ConnectorList(
        connectors=tuple(page),
        next=write_cursor(page[-1].connector_type, page[-1].endpoint_identity) if more else None,
    )


async def connector_detail(reader: Reader, connector_type: str, endpoint_identity: str) -> ConnectorDetail:
    """Return everything known about one connector (SWB-43.2). Raises `UnknownConnector`."""
    async with reader.connection("reading a connector") as connection:
        row = await connection.fetchrow(_SQL["one"], connector_type, endpoint_identity, reader.timezone.key)
    if row is None:
        raise _unknown(connector_type, endpoint_identity)
    cursor = row["checkpoint_cursor"]
    return ConnectorDetail(
        **_summary(row, reader.policy),
        instance_id=row["instance_id"],
        registered_via=row["registered_via"],
        checkpoint=None
        if cursor is None
        else ConnectorCheckpoint(cursor=cursor, updated_at=row["checkpoint_updated_at"]),
        counters=row["counters"],
    )


async def connector_stats(
    reader: Reader, connector_type: str, endpoint_identity: str, period: Period
) -> ConnectorStats:
    """Return volume and health of one connector over a period (SWB-43.3). Raises `UnknownConnector`."""
    async with reader.connection("reading statistics") as connection:
        known = await connection.fetchrow(_SQL["known"], connector_type, endpoint_identity)
        if known is None or not known["known"]:
            raise _unknown(connector_type, endpoint_identity)
        span = span_of(period, known["now"])
        query = _SQL["hours_of"] if span.hourly else _SQL["days_of"]
        rows = await connection.fetch(query, connector_type, endpoint_identity, *span.bounds)
    return ConnectorStats(
        connector_type=connector_type,
        endpoint_identity=endpoint_identity,
        period=period,
        summary=sums_of(rows, hours=span.hours),
        timeseries=series_of(span, rows),
    )


async def connector_fleet(reader: Reader, period: Period) -> ConnectorFleet:
    """Return statistics of all connectors together and of each one (SWB-43.4)."""
    async with reader.moment("summing statistics up") as connection:
        known = await connection.fetch(_SQL["fleet"])
        span = span_of(period, await connection.fetchval(_SQL["now"]))
        rows = await connection.fetch(_SQL["hours_of_all" if span.hourly else "days_of_all"], *span.bounds)
    sums = {_key(row): row for row in rows}
    entries = [
        ConnectorFleetEntry(
            connector_type=row["connector_type"],
            endpoint_identity=row["endpoint_identity"],
            liveness=liveness(row["last_heartbeat_at"], row["now"], reader.policy),
            state=row["state"],
            summary=sums_of([sums[_key(row)]] if _key(row) in sums else [], hours=span.hours),
        )
        for row in known
    ]
    alive = [
        entry.liveness for row, entry in zip(known, entries, strict=True) if row["undeclared_at"] is None
    ]
    return ConnectorFleet(
        period=period,
        total_connectors=len(entries),
        online=alive.count(Liveness.ONLINE),
        stale=alive.count(Liveness.STALE),
        offline=alive.count(Liveness.OFFLINE),
        summary=sums_of(rows, hours=span.hours),
        connectors=tuple(entries),
    )


async def connector_volume(reader: Reader, period: Period) -> ConnectorVolume:
    """Return each connector's messages, bucket by bucket (CNX-14.2)."""
    async with reader.moment("reading the volume") as connection:
        known = await connection.fetch(_SQL["fleet"])
        span = span_of(period, await connection.fetchval(_SQL["now"]))
        rows = await connection.fetch(
            _SQL["volume_by_hour" if span.hourly else "volume_by_day"], *span.bounds
        )
    counts = {_key(row): _spread(span, row) for row in rows}
    silent = (0,) * len(span.starts)
    return ConnectorVolume(
        period=period,
        buckets=tuple(bucket_of(start) for start in span.starts),
        connectors=tuple(
            ConnectorVolumeEntry(
                connector_type=row["connector_type"],
                endpoint_identity=row["endpoint_identity"],
                messages_ingested=counts.get(_key(row), silent),
            )
            for row in known
        ),
    )


async def connector_fanout(reader: Reader, period: FanoutPeriod) -> ConnectorFanout:
    """Return the matrix connector x butler, from the daily fan-out (SWB-43.5)."""
    async with reader.moment("reading the fan-out") as connection:
        span = span_of(period, await connection.fetchval(_SQL["now"]), daily=True)
        rows = await connection.fetch(_SQL["fanout"], *span.bounds)
    targets: defaultdict[Key, dict[str, int]] = defaultdict(dict)
    for row in rows:
        targets[_key(row)][row["target_butler"]] = row["message_count"]
    return ConnectorFanout(
        period=period,
        butlers=tuple(sorted({row["target_butler"] for row in rows})),
        connectors=tuple(
            ConnectorFanoutEntry(
                connector_type=kind, endpoint_identity=endpoint, targets=dict(sorted(counted.items()))
            )
            for (kind, endpoint), counted in sorted(targets.items())
        ),
    )


async def connector_errors(
    reader: Reader, of: Key | None = None, *, limit: int, cursor: str | None = None
) -> ConnectorErrorList:
    """Return beats that were not healthy, newest first, of all connectors or of one (CNX-14.4)."""
    at, kind, endpoint, instance = (
        read_cursor(cursor, moment, text, text, UUID) if cursor else (END_OF_TIME, "", "", NEWEST_ID)
    )
    async with reader.connection("reading the error log") as connection:
        if of is None:
            rows = await connection.fetch(_SQL["errors"], at, kind, endpoint, instance, limit + 1)
        else:
            rows = await connection.fetch(_SQL["errors_of"], *of, at, instance, limit + 1)
    page = [ConnectorError(**row) for row in rows[:limit]]
    last = page[-1] if len(rows) > limit else None
    return ConnectorErrorList(
        errors=tuple(page),
        next=None
        if last is None
        else write_cursor(last.at, last.connector_type, last.endpoint_identity, last.instance_id),
    )


async def connector_standing(
    reader: Reader, connector_type: str, endpoint_identity: str
) -> ConnectorStanding:
    """Return a connector's eligibility and its newest changes (CNX-12.2, CNX-12.3)."""
    async with reader.moment("reading a connector's standing") as connection:
        row = await connection.fetchrow(_SQL["standing"], connector_type, endpoint_identity)
        if row is None:
            raise _unknown(connector_type, endpoint_identity)
        subject = f"{connector_type}:{endpoint_identity}"
        changes = await connection.fetch(
            _SQL["transitions"], "connector", subject, _LAST_ENTRY, _TRANSITIONS_SHOWN
        )
    return ConnectorStanding(**row, transitions=tuple(Transition(**change) for change in changes))


def _summary(row: Row, policy: LivenessPolicy) -> dict[str, Any]:
    last: datetime = row["last_heartbeat_at"]
    shown = (
        "connector_type",
        "endpoint_identity",
        "state",
        "error_message",
        "version",
        "uptime_s",
        "first_seen_at",
        "standbys",
        "undeclared_at",
    )
    return {
        **{name: row[name] for name in shown},
        "liveness": liveness(last, row["now"], policy),
        "last_heartbeat_at": last,
        "today": _today(row),
    }


def _today(row: Row) -> ConnectorToday | None:
    if not row["hours"]:
        return None
    return ConnectorToday(
        messages_ingested=row["messages_ingested"],
        messages_failed=row["messages_failed"],
        uptime_pct=share_pct(row["healthy_count"], row["heartbeat_count"]),
        rolled_up_to=row["rolled_up_to"],
    )


def _spread(span: Span, row: Row) -> tuple[int, ...]:
    """Return the counts of a row, each in its bucket."""
    counts = [0] * len(span.starts)
    for bucket, count in zip(row["buckets"], row["counts"], strict=True):
        counts[bucket] = count
    return tuple(counts)


def _key(row: Row) -> Key:
    return row["connector_type"], row["endpoint_identity"]


def _unknown(connector_type: str, endpoint_identity: str) -> UnknownConnector:
    name = f"{excerpt(connector_type)}:{excerpt(endpoint_identity)}"
    return UnknownConnector(f"connector '{name}' is not known; expected one that has sent a beat")
