"""PURE: connectors as the API returns them (CNX-15); field names are the specification's."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.liveness import Liveness
from butler_dashboard.reads.model import Document, Model

__all__ = [
    "ConnectorCheckpoint",
    "ConnectorDetail",
    "ConnectorError",
    "ConnectorErrorList",
    "ConnectorFanout",
    "ConnectorFanoutEntry",
    "ConnectorFleet",
    "ConnectorFleetEntry",
    "ConnectorList",
    "ConnectorStanding",
    "ConnectorStats",
    "ConnectorSummary",
    "ConnectorToday",
    "ConnectorVolume",
    "ConnectorVolumeEntry",
    "FanoutPeriod",
    "Period",
    "StatsBucket",
    "StatsSummary",
    "Transition",
]

Period = Literal["24h", "7d", "30d"]
FanoutPeriod = Literal["7d", "30d"]
Percent = Annotated[float, Field(ge=0, le=100)]


class ConnectorToday(Model):
    """What statistics know of the household's day so far: everything up to `rolled_up_to`."""

    messages_ingested: int
    messages_failed: int
    uptime_pct: Percent | None
    rolled_up_to: datetime | None


class ConnectorSummary(Model):
    """A connector as its last beat describes it (CNX-15.1); `liveness` is judged now (CNX-12.1).

    `uptime_s` is that of the process at its last beat; `today` is null while no hour of today is rolled up.
    """

    connector_type: str
    endpoint_identity: str
    liveness: Liveness
    state: str
    error_message: str | None
    version: str | None
    uptime_s: float
    last_heartbeat_at: datetime
    first_seen_at: datetime
    standbys: int = 0
    """Further instances that wait to take over (CNX-17.1)."""
    undeclared_at: datetime | None = None
    """When its Connector was removed; its past stays, and it is not missed."""
    today: ConnectorToday | None = None


class ConnectorCheckpoint(Model):
    """Where the connector would go on reading."""

    cursor: str
    updated_at: datetime


class ConnectorDetail(ConnectorSummary):
    """All of it (CNX-15.2); `counters` are those of the running process."""

    instance_id: UUID
    registered_via: str
    checkpoint: ConnectorCheckpoint | None
    counters: Document


class ConnectorList(Model):
    """One page; `next` is null on the last."""

    connectors: tuple[ConnectorSummary, ...]
    next: str | None


class StatsSummary(Model):
    """Sums over a period; shares of nothing are null."""

    messages_ingested: int
    messages_failed: int
    source_api_calls: int
    dedupe_accepted: int
    heartbeat_count: int
    healthy_count: int
    degraded_count: int
    error_count: int
    uptime_pct: Percent | None
    error_rate_pct: Percent | None
    """Of the messages that were tried, how many failed."""
    avg_messages_per_hour: float


class StatsBucket(Model):
    """One hour or one day (UTC), from `bucket` on; without beats the shares are null."""

    bucket: datetime
    messages_ingested: int
    messages_failed: int
    source_api_calls: int
    dedupe_accepted: int
    heartbeat_count: int
    healthy_count: int
    degraded_count: int
    error_count: int
    uptime_pct: Percent | None
    coverage_pct: Percent | None
    """Beats of those that were due (D39)."""


class ConnectorStats(Model):
    """Volume and health over a period (CNX-15.3): hours for 24h and 7d, days for 30d, oldest first, none left out."""

    connector_type: str
    endpoint_identity: str
    period: Period
    summary: StatsSummary
    timeseries: tuple[StatsBucket, ...]


class ConnectorFleetEntry(Model):
    """One connector's part of a summary."""

    connector_type: str
    endpoint_identity: str
    liveness: Liveness
    state: str
    summary: StatsSummary


class ConnectorFleet(Model):
    """All connectors together (SWB-43.4); those that were removed count in no liveness."""

    period: Period
    total_connectors: int
    online: int
    stale: int
    offline: int
    summary: StatsSummary
    connectors: tuple[ConnectorFleetEntry, ...]


class ConnectorVolumeEntry(Model):
    """One connector's messages, bucket by bucket."""

    connector_type: str
    endpoint_identity: str
    messages_ingested: tuple[int, ...]


class ConnectorVolume(Model):
    """What a volume chart draws (CNX-14.2): the buckets and one row of counts a connector."""

    period: Period
    buckets: tuple[datetime, ...]
    connectors: tuple[ConnectorVolumeEntry, ...]


class ConnectorFanoutEntry(Model):
    """To whom a connector's messages went (CNX-15.4): messages by butler."""

    connector_type: str
    endpoint_identity: str
    targets: dict[str, int]


class ConnectorFanout(Model):
    """The matrix connector x butler (SWB-43.5); `butlers` are its columns."""

    period: FanoutPeriod
    butlers: tuple[str, ...]
    connectors: tuple[ConnectorFanoutEntry, ...]


class ConnectorError(Model):
    """A beat that was not healthy (CNX-14.4)."""

    connector_type: str
    endpoint_identity: str
    instance_id: UUID
    at: datetime
    state: str
    error_message: str | None


class ConnectorErrorList(Model):
    """One page of the error log, newest first; `next` is null on the last."""

    errors: tuple[ConnectorError, ...]
    next: str | None


class Transition(Model):
    """One change of eligibility (CNX-12.3)."""

    previous_state: str
    new_state: str
    reason: str
    actor: str
    previous_seen_at: datetime | None
    observed_at: datetime


class ConnectorStanding(Model):
    """Whether a connector is active, stale or quarantined (CNX-12.2), since when, and the newest changes."""

    connector_type: str
    endpoint_identity: str
    eligibility_state: str
    eligibility_updated_at: datetime
    quarantined_at: datetime | None
    quarantine_reason: str | None
    restarts: int
    transitions: tuple[Transition, ...]
