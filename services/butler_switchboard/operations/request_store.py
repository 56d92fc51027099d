"""Reads requests for people: the whole life of one, and lists with recent ones first (SWB-02.3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.time import uuid7_timestamp
from butler_switchboard.operations.dead_letter_models import DeadLetterSummary
from butler_switchboard.operations.dead_letters import dead_letters_of
from butler_switchboard.operations.request_view import (
    AuditView,
    CallView,
    ConflictView,
    Decisions,
    EndedByOperator,
    NotificationView,
    PlanView,
    RequestError,
    RequestSummary,
    RequestView,
    SessionView,
    SignalView,
    Source,
    SubrouteView,
    WorkView,
    timeline,
)

__all__ = ["RequestStore"]

_SQL = NamedQueries("butler_switchboard", "sql/operations.sql")
_NEWEST: Final = UUID(int=2**128 - 1)
_END_OF_TIME: Final = datetime(9998, 1, 1, tzinfo=UTC)
_START_OF_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


class RequestStore:
    """Only reads; everything about a request comes from one snapshot."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def view(self, request_id: UUID) -> RequestView | None:
        """Return the request, or None if it was never accepted or is no longer kept."""
        if request_id.version != 7:
            return None
        async with (
            acquire(self._pool, doing="reading a request") as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            row = await connection.fetchrow(_SQL["request"], request_id, uuid7_timestamp(request_id))
            if row is None:
                return None
            letters = await dead_letters_of(connection, request_id)
            return _view(dict(row), await _parts(connection, request_id), letters)

    async def submitted_as(self, dedupe_key: str) -> list[RequestSummary]:
        """Return the request that a submission with this key became: one, or none."""
        async with acquire(self._pool, doing="finding a request") as connection:
            rows = await connection.fetch(_SQL["request_by_key"], dedupe_key)
        return [_summary(dict(row)) for row in rows]

    async def recent(
        self,
        *,
        limit: int,
        state: str | None = None,
        channel: str | None = None,
        since: datetime | None = None,
        before: UUID | None = None,
    ) -> list[RequestSummary]:
        """Return requests by time of receipt, newest first; `before` is the last id of the previous page."""
        key_at, key_id = _END_OF_TIME, _NEWEST
        if before is not None:
            if before.version != 7:
                raise ValidationFailed(
                    f"before: {before} is no request's id; expected the last one of a page"
                )
            key_at, key_id = uuid7_timestamp(before), before
        async with acquire(self._pool, doing="listing requests") as connection:
            rows = await connection.fetch(
                _SQL["requests"], key_at, key_id, since or _START_OF_TIME, state, channel, limit
            )
        return [_summary(dict(row)) for row in rows]


async def _parts(connection: Connection, request_id: UUID) -> dict[str, list[dict[str, Any]]]:
    names = (
        "work",
        "plan",
        "subroutes",
        "calls",
        "notifications",
        "sessions",
        "signals",
        "audit",
        "conflicts",
    )
    parts: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        parts[name] = [dict(row) for row in await connection.fetch(_SQL[f"{name}_of"], request_id)]
    return parts


def _view(
    row: Mapping[str, Any],
    parts: Mapping[str, list[dict[str, Any]]],
    dead_letters: list[DeadLetterSummary],
) -> RequestView:
    plan = _plan(parts["plan"])
    subroutes = [SubrouteView(**part) for part in parts["subroutes"]]
    calls = [CallView(**part) for part in parts["calls"]]
    notifications = [NotificationView(**part) for part in parts["notifications"]]
    sessions = [SessionView(**part) for part in parts["sessions"]]
    audit = [AuditView(**part) for part in parts["audit"]]
    conflicts = [ConflictView(**part) for part in parts["conflicts"]]
    return RequestView(
        request_id=row["request_id"],
        received_at=row["received_at"],
        lifecycle_state=row["lifecycle_state"],
        final_state_at=row["final_state_at"],
        source=_source(row),
        envelope=_document(row["raw_payload"]),
        aggregated_reply=row["aggregated_reply"],
        error=_error(row),
        context=_document(row["request_context"]),
        decisions=_decisions(row),
        work=WorkView(**_work(parts["work"][0])) if parts["work"] else None,
        plan=plan,
        subroutes=subroutes,
        routing_output=row["routing_output"],
        dispatch_outcomes=row["dispatch_outcomes"],
        calls=calls,
        notifications=notifications,
        sessions=sessions,
        audit=audit,
        dedupe_conflicts=conflicts,
        dead_letters=dead_letters,
        ended_by_operator=_ended_by_operator(row["ended_by_operator"]),
        signals=tuple(_signal(part, row["normalized_text"]) for part in parts["signals"]),
        timeline=timeline(
            received_at=row["received_at"],
            lifecycle_state=row["lifecycle_state"],
            final_state_at=row["final_state_at"],
            plan=plan,
            subroutes=subroutes,
            calls=calls,
            notifications=notifications,
            sessions=sessions,
            audit=audit,
            conflicts=conflicts,
            dead_letters=dead_letters,
        ),
    )


def _plan(rows: list[dict[str, Any]]) -> PlanView | None:
    if not rows:
        return None
    plan = dict(rows[0])
    document = _document(plan.pop("plan"))
    return PlanView(
        **plan,
        targets=document.get("targets") or [],
        trial=document.get("trial"),
        policy=document.get("policy"),
        held=document.get("held"),
    )


def _document(stored: Any) -> dict[str, Any]:
    """Return a document to show: an operator must see it even if nobody could work on it."""
    return stored if isinstance(stored, dict) else {"unreadable": stored}


def _signal(row: Mapping[str, Any], text: str) -> SignalView:
    kept = {name: row[name] for name in SignalView.model_fields if name in row}
    start, end = row["evidence_start"], row["evidence_end"]
    return SignalView(**kept, start=start, end=end, evidence=text[start:end])


def _work(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "leased": bool(row["leased"])}


def _source(row: Mapping[str, Any]) -> Source:
    return Source(
        channel=row["source_channel"],
        provider=row["source_provider"],
        endpoint_identity=row["source_endpoint_identity"],
        sender_identity=row["source_sender_identity"],
        thread_identity=row["source_thread_identity"],
        event_id=row["external_event_id"],
        message_id=row["external_message_id"],
        supersedes=row["supersedes"],
    )


def _decisions(row: Mapping[str, Any]) -> Decisions:
    context = _document(row["request_context"])
    return Decisions(
        triage_decision=context.get("triage_decision"),
        triage_target=context.get("triage_target"),
        triage_rule_id=context.get("triage_rule_id"),
        triage_rule_type=context.get("triage_rule_type"),
        sender_class=row["sender_class"],
        reply_policy=row["reply_policy"],
        automatic=bool(context.get("automatic")),
        policy_tier=row["policy_tier"],
        ingestion_tier=row["ingestion_tier"],
        dedupe_key=row["dedupe_key"],
    )


def _error(row: Mapping[str, Any]) -> RequestError | None:
    if row["error_class"] is None:
        return None
    return RequestError(error_class=row["error_class"], message=row["error_message"] or row["error_class"])


def _ended_by_operator(word: Mapping[str, Any] | None) -> EndedByOperator | None:
    return EndedByOperator.model_validate(word) if word is not None else None


def _summary(row: Mapping[str, Any]) -> RequestSummary:
    outcomes = row["dispatch_outcomes"] or []
    return RequestSummary(
        request_id=row["request_id"],
        received_at=row["received_at"],
        lifecycle_state=row["lifecycle_state"],
        final_state_at=row["final_state_at"],
        channel=row["source_channel"],
        endpoint_identity=row["source_endpoint_identity"],
        sender_identity=row["source_sender_identity"],
        thread_identity=row["source_thread_identity"],
        policy_tier=row["policy_tier"],
        sender_class=row["sender_class"],
        excerpt=row["excerpt"],
        butlers=[outcome["target_butler"] for outcome in outcomes],
        error=_error(row),
    )
