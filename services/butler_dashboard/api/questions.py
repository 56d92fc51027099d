"""PURE: what the API may be asked; a filter that is not known is refused by name."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from butler_contracts.base import Timestamp
from butler_contracts.ingest import SourceChannel
from butler_contracts.liveness import Liveness
from butler_contracts.notify import DeliveryChannel, Intent
from butler_contracts.text import STORABLE, ButlerName
from butler_dashboard.reads.approval_models import ApprovalState
from butler_dashboard.reads.approvals import ApprovalFilter
from butler_dashboard.reads.backfills import BackfillFilter
from butler_dashboard.reads.butlers import ButlerFilter
from butler_dashboard.reads.connector_models import FanoutPeriod, Period
from butler_dashboard.reads.connectors import ConnectorFilter
from butler_dashboard.reads.dead_letters import DeadLetterFilter
from butler_dashboard.reads.deliveries import DeliveryFilter
from butler_dashboard.reads.letter_models import LetterKind, LetterState
from butler_dashboard.reads.page import CURSOR_MAX
from butler_dashboard.reads.records import RecordFilter
from butler_dashboard.reads.requests import RequestFilter

__all__ = [
    "ApprovalQuestion",
    "BackfillQuestion",
    "ButlerQuestion",
    "ConnectorQuestion",
    "DeadLetterQuestion",
    "DeliveryQuestion",
    "FanoutQuestion",
    "PageQuestion",
    "PeriodQuestion",
    "RecordQuestion",
    "RequestQuestion",
]

ConnectorType = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
Name = Annotated[str, Field(min_length=1, max_length=512), STORABLE]
RecordKind = Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,39}$")]
SearchWords = Annotated[str, Field(min_length=2, max_length=100), STORABLE]
ErrorName = Annotated[str, Field(min_length=1, max_length=60), STORABLE]


class PeriodQuestion(BaseModel):
    """For which time until now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    period: Period = "24h"


class FanoutQuestion(BaseModel):
    """The same; where messages went is counted by day."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    period: FanoutPeriod = "7d"


class PageQuestion(BaseModel):
    """Which page: `cursor` is the `next` of the page before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[str, Field(min_length=1, max_length=CURSOR_MAX), STORABLE] | None = None


class ConnectorQuestion(PageQuestion):
    """The filters of the list of connectors, which a household reads as a whole."""

    limit: Annotated[int, Field(ge=1, le=1_000)] = 1_000
    connector_type: ConnectorType | None = None
    liveness: Liveness | None = None
    state: Literal["healthy", "degraded", "error"] | None = None

    def wanted(self) -> ConnectorFilter:
        return ConnectorFilter(self.connector_type, self.liveness, self.state)


class RequestQuestion(PageQuestion):
    """The filters of the list of requests; `since` counts, `until` does not."""

    state: Literal["accepted", "parsed", "errored", "recorded", "cancelled", "force_completed"] | None = None
    channel: SourceChannel | None = None
    endpoint_identity: Name | None = None
    sender_identity: Name | None = None
    butler: ButlerName | None = None
    q: SearchWords | None = None
    since: Timestamp | None = None
    until: Timestamp | None = None

    def wanted(self) -> RequestFilter:
        return RequestFilter(**self.model_dump(exclude={"limit", "cursor"}))


class RecordQuestion(PageQuestion):
    """The filters of the list of records; `person` is the contact who told them."""

    q: SearchWords | None = None
    butler: ButlerName | None = None
    kind: RecordKind | None = None
    person: UUID | None = None
    state: Literal["kept", "withdrawn"] | None = None

    def wanted(self) -> RecordFilter:
        asked = self.model_dump(exclude={"limit", "cursor", "state"})
        return RecordFilter(**asked, withdrawn=self.state == "withdrawn" if self.state else None)


class DeliveryQuestion(PageQuestion):
    """The filters of the list of deliveries; `since` counts, `until` does not."""

    status: (
        Literal[
            "pending",
            "in_progress",
            "sent",
            "bounced",
            "failed",
            "uncertain",
            "dead_lettered",
            "pending_approval",
            "pending_missing_identifier",
        ]
        | None
    ) = None
    channel: DeliveryChannel | None = None
    origin_butler: ButlerName | None = None
    intent: Intent | None = None
    since: Timestamp | None = None
    until: Timestamp | None = None

    def wanted(self) -> DeliveryFilter:
        return DeliveryFilter(**self.model_dump(exclude={"limit", "cursor"}))


class ApprovalQuestion(PageQuestion):
    """The filter of the list of approvals; without `state` all of them."""

    state: ApprovalState | None = None

    def wanted(self) -> ApprovalFilter:
        return ApprovalFilter(state=self.state)


class DeadLetterQuestion(PageQuestion):
    """The filters of the list of dead letters; without `state` all of them."""

    kind: LetterKind | None = None
    state: LetterState | None = None
    channel: SourceChannel | None = None
    error_class: ErrorName | None = None

    def wanted(self) -> DeadLetterFilter:
        return DeadLetterFilter(**self.model_dump(exclude={"limit", "cursor"}))


class BackfillQuestion(PageQuestion):
    """The filters of the list of backfills."""

    connector_type: ConnectorType | None = None
    endpoint_identity: Name | None = None
    status: (
        Literal["pending", "active", "paused", "completed", "cancelled", "cost_capped", "error"] | None
    ) = None

    def wanted(self) -> BackfillFilter:
        return BackfillFilter(**self.model_dump(exclude={"limit", "cursor"}))


class ButlerQuestion(PageQuestion):
    """The filters of the list of butlers."""

    role: Literal["specialist", "messenger", "switchboard"] | None = None
    eligibility_state: Literal["active", "stale", "quarantined"] | None = None

    def wanted(self) -> ButlerFilter:
        return ButlerFilter(self.role, self.eligibility_state)
