"""Requests: recent ones first, and the whole life of one (SWB-02.3, architecture §4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_contracts.request_approvals import held_in_words
from butler_dashboard.reads.deliveries import deliveries_of
from butler_dashboard.reads.level_models import ServiceLevel
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import SCANNED_MAX
from butler_dashboard.reads.patterns import anywhere
from butler_dashboard.reads.people import household_people
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.records import withheld_requests
from butler_dashboard.reads.request_models import (
    AuditEntry,
    Call,
    Decisions,
    Notification,
    Plan,
    PlannedTarget,
    RequestError,
    RequestLetter,
    RequestLife,
    RequestList,
    RequestSource,
    RequestSummary,
    Session,
    Subroute,
    Work,
)
from butler_dashboard.reads.scan import Walk, scan
from butler_dashboard.reads.timeline import timeline_of
from butler_kit.db import Connection, NamedQueries
from butler_kit.time import uuid7_timestamp
from butler_kit.wording.folding import fold
from butler_kit.wording.privacy import keeps_private

__all__ = ["RequestFilter", "UnknownRequest", "list_requests", "request_life", "service_level"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/requests.sql")
_MADE: Final = frozenset({"butlers", "error", "diverted_from", "excerpt", "answer", "private"})
_EXCERPT: Final = 160
_PARTS: Final = (
    ("subroutes", "subroutes_of", Subroute),
    ("calls", "calls_of", Call),
    ("sessions", "sessions_of", Session),
    ("notifications", "notifications_of", Notification),
    ("dead_letters", "letters_of", RequestLetter),
    ("audit", "audit_of", AuditEntry),
)


class UnknownRequest(NotFound):
    """No such request, or it is no longer kept (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class RequestFilter:
    """What to look for; None leaves a field open. `since` is inclusive, `until` exclusive.

    `q` matches anywhere in the message, the answer, the sender's address or name, or the request's id, in any case.
    """

    state: str | None = None
    channel: str | None = None
    endpoint_identity: str | None = None
    sender_identity: str | None = None
    butler: str | None = None
    q: str | None = None
    since: datetime | None = None
    until: datetime | None = None


async def list_requests(
    reader: Reader,
    wanted: RequestFilter,
    *,
    limit: int,
    cursor: str | None = None,
    scanned_max: int = SCANNED_MAX,
) -> RequestList:
    """Return one page of requests by receipt time, newest first."""
    # Failed requests are few and have an index of their own.
    failed = "_failed" if wanted.state == "errored" else ""
    called = (await household_people(reader)).addresses_called(wanted.q) if wanted.q else ([], [])
    rows, following = await scan(
        reader,
        _SQL,
        failed,
        (
            wanted.state,
            wanted.channel,
            wanted.endpoint_identity,
            wanted.sender_identity,
            wanted.butler,
            anywhere(wanted.q),
            *called,
        ),
        Walk(wanted.since, wanted.until, cursor, limit, scanned_max),
        key=("received_at", "request_id"),
        doing="listing requests",
    )
    ids = [row["request_id"] for row in rows]
    async with reader.connection("reading what became of requests") as connection:
        barred = {row["request_id"]: row["barred"] for row in await connection.fetch(_SQL["diverted"], ids)}
        told = {row["request_id"]: row["answer"] for row in await connection.fetch(_SQL["answers"], ids)}
        withheld = await withheld_requests(connection, ids)
    withheld |= {row["request_id"] for row in rows if keeps_private(row["text"], fold)}
    shown = [
        _summary(
            row,
            barred=barred.get(row["request_id"]),
            told=told.get(row["request_id"]),
            private=row["request_id"] in withheld,
        )
        for row in rows
    ]
    return RequestList(requests=tuple(shown), next=following)


async def service_level(reader: Reader) -> ServiceLevel | None:
    """Return whether messages are taken in, worked on and answered as well as they are to be; None if not known yet."""
    async with reader.connection("reading the service level") as connection:
        row = await connection.fetchrow(_SQL["level"])
    return ServiceLevel(**row) if row is not None else None


async def request_life(reader: Reader, request_id: UUID) -> RequestLife:
    """Return everything known about one request, from one snapshot. Raises `UnknownRequest`."""
    try:
        received_at = uuid7_timestamp(request_id)
    except ValueError:
        raise _unknown(request_id) from None
    async with reader.moment("reading a request") as connection:
        row = await connection.fetchrow(_SQL["request"], request_id, received_at)
        if row is None:
            raise _unknown(request_id)
        return await _life(connection, row)


async def _life(connection: Connection, row: Row) -> RequestLife:
    request_id: UUID = row["request_id"]
    parts: dict[str, Any] = {
        name: tuple(model(**part) for part in await connection.fetch(_SQL[query], request_id))
        for name, query, model in _PARTS
    }
    work = await connection.fetchrow(_SQL["work_of"], request_id)
    plan = await connection.fetchrow(_SQL["plan_of"], request_id)
    life = RequestLife(
        request_id=request_id,
        received_at=row["received_at"],
        state=row["lifecycle_state"],
        final_state_at=row["final_state_at"],
        text=row["normalized_text"],
        reply=row["aggregated_reply"],
        error=_error(row),
        backfill_job_id=row["backfill_job_id"],
        dedupe_conflicts=await connection.fetchval(_SQL["conflicts_of"], request_id),
        source=_source(row),
        decisions=Decisions(**{name: row[name] for name in Decisions.model_fields}),
        work=Work(**work) if work is not None else None,
        plan=_plan(plan) if plan is not None else None,
        deliveries=await deliveries_of(connection, request_id),
        timeline=(),
        **parts,
    )
    return life.model_copy(update={"timeline": timeline_of(life)})


def _source(row: Row) -> RequestSource:
    return RequestSource(
        channel=row["source_channel"],
        provider=row["source_provider"],
        endpoint_identity=row["source_endpoint_identity"],
        sender_identity=row["source_sender_identity"],
        thread_identity=row["source_thread_identity"],
        event_id=row["external_event_id"],
        message_id=row["external_message_id"],
        supersedes=row["supersedes"],
        observed_at=row["observed_at"],
    )


def _plan(row: Row) -> Plan:
    targets = tuple(
        PlannedTarget(
            butler=str(target.get("butler")), segment_id=target.get("segment_id"), prompt=target.get("prompt")
        )
        for target in row["targets"] or ()
    )
    held = held_in_words(row["held"]) if row["held"] is not None else None
    return Plan(**{**row, "targets": targets, "held": held})


def _error(row: Row) -> RequestError | None:
    if row["error_class"] is None:
        return None
    return RequestError(error_class=row["error_class"], message=row["error_message"] or row["error_class"])


def _summary(row: Row, *, barred: str | None, told: str | None, private: bool) -> RequestSummary:
    shown = {name: row[name] for name in RequestSummary.model_fields if name not in _MADE}
    return RequestSummary(
        **shown,
        excerpt="" if private else row["text"][:_EXCERPT],
        answer=None if private else row["answer"] or told,
        private=private,
        butlers=tuple(outcome["target_butler"] for outcome in row["dispatch_outcomes"] or ()),
        error=_error(row),
        diverted_from=barred,
    )


def _unknown(request_id: UUID) -> UnknownRequest:
    return UnknownRequest(f"request {request_id} is not known, or no longer kept")
