"""PURE: dead letters as people read them, what may be asked for, and whether one may be replayed (SWB-32)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel, Timestamp
from butler_contracts.errors import ErrorClass
from butler_contracts.ingest import SourceChannel
from butler_contracts.text import STORABLE, ButlerName
from butler_switchboard.operations.view import Document, View

__all__ = [
    "DeadLetterList",
    "DeadLetterQuestion",
    "DeadLetterSummary",
    "DeadLetterView",
    "DiscardView",
    "ReplayView",
    "ReplayedPart",
    "closed_because",
]

State = Literal["open", "replayed", "discarded"]


class DeadLetterQuestion(StrictModel):
    """The filters of a list; without `state` the open ones, `before` is the `next` of the page before."""

    state: Literal["open", "replayed", "discarded", "all"] = "open"
    channel: SourceChannel | None = None
    error_class: Annotated[str, Field(min_length=1, max_length=60), STORABLE] | None = None
    target: ButlerName | None = None
    request_id: UUID | None = None
    since: Timestamp | None = None
    before: UUID | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class DeadLetterSummary(View):
    """One end beyond retry; `generation` counts the ends of its request, `replay_of` names the one before.

    `replay_eligible` says whether a replay would be tried; else `not_eligible_because` says why not.
    """

    dead_letter_id: UUID
    request_id: UUID
    generation: int
    replay_of: UUID | None
    created_at: datetime
    state: State
    channel: str
    endpoint_identity: str
    sender_identity: str
    thread_identity: str | None
    targets: list[str]
    error_class: str
    error_message: str
    attempts: int
    closed_at: datetime | None
    closed_by: str | None
    closed_reason: str | None
    operation_uid: str | None
    outcome: str | None
    outcome_at: datetime | None
    replay_eligible: bool
    not_eligible_because: str | None

    @classmethod
    def of(cls, row: Mapping[str, Any], **more: Any) -> Self:
        """From a row of the table."""
        because = closed_because(row)
        return cls(**row, replay_eligible=because is None, not_eligible_because=because, **more)


class DeadLetterView(DeadLetterSummary):
    """All of it: the message as it was accepted, the plan, every attempt, and the other ends of the request.

    No plan: nobody could work on it before it was routed.
    """

    message: Document
    plan: Document | None
    subroutes: list[Document]
    lineage: list[UUID]


class DeadLetterList(View):
    """One page; `next` is None on the last."""

    dead_letters: list[DeadLetterSummary]
    next: UUID | None


class ReplayedPart(View):
    """A part that is sent again, under the id of its new attempt."""

    target: str
    segment_id: str
    attempt: int
    subrequest_id: UUID


class Operated(View):
    """What every action answers with; `repeated` when the same key was answered before."""

    operation_uid: str
    audit_id: int | None
    repeated: bool


class ReplayView(Operated):
    """A replay that was begun; `replay` counts the replays of the request."""

    dead_letter_id: UUID
    request_id: UUID
    state: Literal["replayed"]
    replay: int
    parts: list[ReplayedPart]


class DiscardView(Operated):
    """A dead letter that nobody will replay."""

    dead_letter_id: UUID
    request_id: UUID
    state: Literal["discarded"]


def closed_because(row: Mapping[str, Any]) -> str | None:
    """Return why this dead letter cannot be replayed, in words; None if it can be tried."""
    if row["state"] != "open":
        when = row["closed_at"].isoformat(timespec="seconds")
        said = f"it was {row['state']} by {row['closed_by']} at {when} ({row['closed_reason']})"
        if row["state"] == "replayed" and row["outcome"] is not None:
            return f"{said}; its request then ended {row['outcome']}"
        return said
    return _nothing_to_send(row) if row["routed"] and not row["targets"] else None


def _nothing_to_send(row: Mapping[str, Any]) -> str:
    """Return why a request that was routed, and had no failed part, has nothing to send."""
    if row["planned"]:
        return f"none of its parts failed, it was given up after them ({row['error_message']})"
    said = f"its plan sends nothing to anybody ({row['error_message']}), and a replay never routes anew"
    if row["error_class"] == ErrorClass.VALIDATION_ERROR:
        return f"{said}; the same message would end the same way"
    return f"{said}; the message has to be sent again"
