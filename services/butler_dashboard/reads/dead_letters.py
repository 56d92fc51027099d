"""Dead letters of requests and of deliveries as one list, newest first (SWB-32, MSR-08).

Both kinds share one id space and one order, so a page takes the newest of both, and one cursor continues it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_dashboard.reads.letter_models import (
    DeadLetterDetail,
    DeadLetterList,
    DeadLetterSummary,
    LetterKind,
    LetterState,
)
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import END_OF_TIME, NEWEST_ID, moment, read_cursor, write_cursor
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = [
    "DeadLetterFilter",
    "UnknownDeadLetter",
    "dead_letter_detail",
    "list_dead_letters",
    "open_letters_like",
]

_SQL: Final = NamedQueries("butler_dashboard", "sql/dead_letters.sql")


_MOST_ALIKE: Final = 100


class UnknownDeadLetter(NotFound):
    """No such dead letter, or it is no longer kept (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class DeadLetterFilter:
    """What to look for; None leaves a field open."""

    kind: LetterKind | None = None
    state: LetterState | None = None
    channel: str | None = None
    error_class: str | None = None


async def list_dead_letters(
    reader: Reader, wanted: DeadLetterFilter, *, limit: int, cursor: str | None = None
) -> DeadLetterList:
    """Return one page of dead letters."""
    at, own_id = read_cursor(cursor, moment, UUID) if cursor else (END_OF_TIME, NEWEST_ID)
    asked = (at, own_id, wanted.state, wanted.channel, wanted.error_class, limit + 1)
    found: list[DeadLetterSummary] = []
    async with reader.moment("listing dead letters") as connection:
        if wanted.kind != "delivery":
            rows = await connection.fetch(_SQL["page_of_requests"], *asked)
            found += [DeadLetterSummary(**_of_request(row)) for row in rows]
        if wanted.kind != "request":
            rows = await connection.fetch(_SQL["page_of_deliveries"], *asked)
            found += [DeadLetterSummary(**_of_delivery(row)) for row in rows]
    found.sort(key=lambda letter: (letter.created_at, letter.dead_letter_id), reverse=True)
    page = found[:limit]
    more = len(found) > limit
    return DeadLetterList(
        dead_letters=tuple(page),
        next=write_cursor(page[-1].created_at, page[-1].dead_letter_id) if more else None,
    )


async def dead_letter_detail(reader: Reader, dead_letter_id: UUID) -> DeadLetterDetail:
    """Return one dead letter of either kind. Raises `UnknownDeadLetter`."""
    async with reader.moment("reading a dead letter") as connection:
        row = await connection.fetchrow(_SQL["one_of_requests"], dead_letter_id)
        if row is not None:
            lineage = await connection.fetch(_SQL["lineage"], row["request_id"])
            return DeadLetterDetail(
                **_of_request(row),
                text=row["text"],
                endpoint_identity=row["endpoint_identity"],
                thread_identity=row["thread_identity"],
                lineage=tuple(one["dead_letter_id"] for one in lineage),
            )
        row = await connection.fetchrow(_SQL["one_of_deliveries"], dead_letter_id)
    if row is None:
        raise UnknownDeadLetter(f"dead letter {dead_letter_id} is not known, or no longer kept")
    return DeadLetterDetail(
        **_of_delivery(row), text=None, endpoint_identity=None, thread_identity=None, lineage=()
    )


async def open_letters_like(reader: Reader, dead_letter_id: UUID, kind: LetterKind) -> list[UUID]:
    """Return the open letters of a kind with the cause of this one and none later than it, newest first."""
    query = _SQL["open_like" if kind == "request" else "open_deliveries_like"]
    async with reader.moment("reading dead letters of one cause") as connection:
        rows = await connection.fetch(query, dead_letter_id, _MOST_ALIKE)
    if not rows:
        raise UnknownDeadLetter("None of these dead letters is open any more")
    return [row["dead_letter_id"] for row in rows]


def _of_request(row: Row) -> dict[str, Any]:
    shared = ("dead_letter_id", "request_id", "replay_of", "created_at", "state", "channel", "error_class")
    more = ("error_message", "attempts", "closed_at", "closed_by", "closed_reason", "outcome", "excerpt")
    return {
        **{name: row[name] for name in (*shared, *more)},
        "kind": "request",
        "delivery_id": None,
        "origin": row["sender_identity"],
        "targets": tuple(row["targets"]),
        # A plan without targets has nothing to send again.
        "replay_eligible": row["state"] == "open" and bool(row["targets"]),
    }


def _of_delivery(row: Row) -> dict[str, Any]:
    shared = ("dead_letter_id", "delivery_id", "request_id", "replay_of", "created_at", "channel")
    more = ("error_class", "error_message", "attempts", "excerpt")
    discarded = row["discarded_at"] is not None
    state: LetterState = (
        "discarded" if discarded else "replayed" if row["replayed_at"] is not None else "open"
    )
    return {
        **{name: row[name] for name in (*shared, *more)},
        "kind": "delivery",
        "state": state,
        "origin": row["origin_butler"],
        "targets": () if row["target_identity"] is None else (row["target_identity"],),
        "replay_eligible": row["replay_eligible"] and state == "open",
        "closed_at": row["discarded_at"] or row["replayed_at"],
        "closed_by": row["discarded_by"] or row["replayed_by"],
        "closed_reason": row["discard_reason"] or row["replay_reason"],
        "outcome": row["replay_status"],
    }
