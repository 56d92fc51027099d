"""The arguments and results of the ops API (frozen models; pure)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, Field, model_validator

from butler_contracts.base import StrictModel, Timestamp, rule_broken
from butler_contracts.ingest import SourceChannel
from butler_contracts.text import STORABLE, ButlerName, Identity
from butler_kit.operations import ActBody
from butler_switchboard.operations.request_view import RequestSummary
from butler_switchboard.operations.view import View
from butler_switchboard.registry.eligibility import Hold, State
from butler_switchboard.registry.records import ButlerRecord, Declaration, Report

__all__ = [
    "ButlerList",
    "ButlerView",
    "ConnectorList",
    "ConnectorView",
    "DeclareBody",
    "EligibilityView",
    "EvidenceBody",
    "NameBody",
    "QuarantineBody",
    "RequestList",
    "RequestQuestion",
    "TransitionView",
]


def _is_http_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
        usable = usable and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise rule_broken("", "is not a butler's address", "a URL such as http://127.0.0.1:40101/mcp")
    return value


Why = Annotated[str, Field(min_length=1, max_length=500), STORABLE]
Words = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=500), STORABLE], ...], Field(max_length=200)
]


class HoldBody(StrictModel):
    """The GitOps hold of a manifest (D4)."""

    reason: Why
    until: Timestamp | None = None


class DeclareBody(StrictModel):
    """What a manifest says of a butler (D3)."""

    endpoint: Annotated[str, Field(max_length=500), STORABLE, AfterValidator(_is_http_url)]
    role: Literal["specialist", "messenger"]
    description: Annotated[str, Field(max_length=2_000), STORABLE] = ""
    triggers: Words = ()
    capabilities: Words = ()
    required_information: Words = ()
    manifest_hold: HoldBody | None = None
    liveness_ttl_s: Annotated[int, Field(ge=10, le=3_600)] = 90
    mailbox: Identity | None = None
    arbitration_priority: Annotated[int, Field(ge=-100, le=100)] = 0

    @model_validator(mode="after")
    def _mail_is_messengers(self) -> Self:
        if self.mailbox is not None and self.role != "messenger":
            raise rule_broken("mailbox", "goes with no specialist", "it with role 'messenger' alone")
        return self

    def to_declaration(self) -> Declaration:
        hold = self.manifest_hold
        return Declaration(
            role=self.role,
            endpoint_url=self.endpoint,
            description=self.description,
            triggers=self.triggers,
            capabilities=self.capabilities,
            required_information=self.required_information,
            manifest_hold=Hold(hold.reason, hold.until) if hold is not None else None,
            liveness_ttl_s=self.liveness_ttl_s,
            mailbox=self.mailbox,
            arbitration_priority=self.arbitration_priority,
        )


class NameBody(StrictModel):
    """A butler's name as a path has it."""

    name: ButlerName


class EvidenceBody(StrictModel):
    """How a butler's process was when it was last looked at (D30)."""

    butler: ButlerName
    ready: bool
    restarts: Annotated[int, Field(ge=0, le=2**31 - 1)]
    crash_loop: bool
    observed_at: Timestamp
    rollout: bool = False

    def to_report(self) -> Report:
        return Report(self.ready, self.restarts, self.crash_loop, self.observed_at, self.rollout)


class QuarantineBody(ActBody):
    """Why an operator holds something, and until when at most; without `until` until it is released."""

    until: Timestamp | None = None


class RequestQuestion(StrictModel):
    """The filters of a list of requests; `before` is the `next` of the page before.

    `dedupe_key` asks for the one request that a submission became; other filters do not apply then.
    """

    limit: Annotated[int, Field(ge=1, le=500)] = 50
    state: Literal["accepted", "parsed", "errored", "recorded", "cancelled", "force_completed"] | None = None
    channel: SourceChannel | None = None
    since: Timestamp | None = None
    before: UUID | None = None
    dedupe_key: Annotated[str, Field(min_length=1, max_length=4_096), STORABLE] | None = None


class RequestList(View):
    """One page; `next` is None on the last."""

    requests: list[RequestSummary]
    next: UUID | None


class EligibilityView(View):
    """A butler's or connector's state after an action; an operator's names its operation and audit entry.

    `repeated`: the same `Idempotency-Key` was answered so before.
    """

    name: str
    eligibility_state: str
    reason: str
    operation_uid: str | None = None
    audit_id: int | None = None
    repeated: bool = False

    @classmethod
    def of(cls, record: ButlerRecord) -> Self:
        """What is on record after a report or a declaration."""
        state = record.eligibility_state.value
        return cls(name=record.name, eligibility_state=state, reason=record.eligibility_reason)


class TransitionView(View):
    previous_state: str
    new_state: str
    reason: str
    actor: str
    previous_seen_at: datetime | None
    observed_at: datetime


class ButlerView(View):
    """A butler as registered; `eligible` is judged now, `eligibility_state` is on record."""

    name: str
    role: str
    endpoint: str | None
    description: str
    triggers: list[str]
    capabilities: list[str]
    required_information: list[str]
    tools: list[str]
    route_contract: str | None
    eligible: bool
    eligibility_state: str
    eligibility_reason: str
    eligibility_updated_at: datetime
    quarantined_at: datetime | None
    quarantine_reason: str | None
    quarantine_origin: str | None
    quarantine_until: datetime | None
    manifest_hold_reason: str | None
    declared_at: datetime | None
    registered_at: datetime | None
    last_seen_at: datetime | None
    liveness_ttl_s: int
    arbitration_priority: int
    ready: bool | None
    restarts: int | None
    crash_loop: bool | None
    evidence_observed_at: datetime | None
    transitions: list[TransitionView] | None = None

    @classmethod
    def of(
        cls, record: ButlerRecord, *, now: datetime, transitions: list[TransitionView] | None = None
    ) -> Self:
        active = record.eligibility_state is State.ACTIVE
        shared = {name: getattr(record, name) for name in cls.model_fields if hasattr(record, name)}
        lists = {name: list(value) for name, value in shared.items() if isinstance(value, tuple)}
        pod = record.pod
        return cls(
            **{**shared, **lists},
            endpoint=record.endpoint_url,
            eligible=active and record.judged(now=now).eligibility_state is State.ACTIVE,
            ready=pod.ready if pod else None,
            restarts=record.pod_restarts,
            crash_loop=pod.crash_loop if pod else None,
            evidence_observed_at=pod.observed_at if pod else None,
            transitions=transitions,
        )


class ButlerList(View):
    butlers: list[ButlerView]


class ConnectorView(View):
    """A connector as its beats describe it; `liveness` is judged now (CNX-12.1)."""

    connector_type: str
    endpoint_identity: str
    liveness: str
    eligibility_state: str
    eligibility_updated_at: datetime
    quarantined_at: datetime | None
    quarantine_reason: str | None
    instance_id: UUID
    instance_started_at: datetime
    restarts: int
    version: str | None
    state: str
    error_message: str | None
    uptime_s: float
    counters: dict[str, Any]
    checkpoint_cursor: str | None
    checkpoint_updated_at: datetime | None
    capabilities: dict[str, Any]
    first_seen_at: datetime
    registered_via: str
    last_heartbeat_at: datetime
    standbys: int
    """Further instances that wait to take over (CNX-17.1)."""
    undeclared_at: datetime | None
    """When its Connector was removed; it is heard of no more, and not missed."""


class ConnectorList(View):
    connectors: list[ConnectorView]
