"""The `records` table: facts, written with the outcome they belong to and read for questions.

Invariants: the n-th fact of a segment of a request exists once, whichever attempt wrote it (SWB-11.1); a fact is
never deleted, and each of its former states is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

import asyncpg

from butler_contracts.people import PeopleV1
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.store.model import (
    MOST_ROWS,
    PRIVATE,
    Record,
    RecordChange,
    RecordDraft,
    change_id,
    record_id,
)
from butler_specialist.store.visibility import Policy, Viewer

__all__ = ["RecordStore", "changes_of", "fact_of", "facts_of", "record_of"]

_SQL = NamedQueries("butler_specialist.sql", "records.sql")
_FIND: Final = _SQL["find"]
_PRIVATE: Final = _SQL["find_private"]
_MOVE: Final = _SQL["move_to_contacts"]
_OF_EVERYBODY: Final = _SQL["of_everybody"]
_WHOSE: Final = ("audience", "shared_with")
_BATCH: Final = 1000
_MOST_BATCHES: Final = 20


class RecordStore:
    """Records in the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
        viewer: Viewer,
    ) -> Sequence[Record]:
        """Return the records of `kinds` from `start` up to but excluding `end`, newest first, at most `MOST_ROWS`.

        Withdrawn records and those that the `viewer` may not see are left out (D68). Only what the household itself
        said counts, unless `all_senders` (D22). Of the `PRIVATE` kinds only what the viewer told.
        """
        private = [kind for kind in kinds if kind in PRIVATE] if viewer.person is not None else []
        async with acquire(self._pool, doing="reading records") as connection:
            rows = await connection.fetch(
                _FIND, list(kinds), start, end, all_senders, MOST_ROWS, *viewer.arguments
            )
            if private:
                rows += await connection.fetch(_PRIVATE, viewer.person, private, start, end, MOST_ROWS)
        if private:
            rows = sorted(rows, key=lambda row: (row["occurred_on"], row["seq"]), reverse=True)[:MOST_ROWS]
        return [record_of(row) for row in rows]

    async def of_everybody(self, kinds: Collection[str]) -> Sequence[Record]:
        """Return everybody's records, to remind each teller of their own.

        Nothing in them may be told to anybody else.
        """
        async with acquire(self._pool, doing="reading what may come up") as connection:
            rows = await connection.fetch(_OF_EVERYBODY, list(kinds), MOST_ROWS)
        return [record_of(row) for row in rows]

    async def move_to_contacts(self, people: PeopleV1) -> int:
        """Assign the household's records that only have an address to that address's contact; return how many moved.

        A record with a contact keeps it. Those left after `_MOST_BATCHES` are moved with the next message.
        """
        addresses = [
            {"contact_id": str(person.contact_id), "channel": address.channel, "value": address.value}
            for person in people.members
            for address in person.addresses
        ]
        moved = 0
        async with acquire(self._pool, doing="moving records to their contacts") as connection:
            for _ in range(_MOST_BATCHES):
                batch = len(await connection.fetch(_MOVE, addresses, _BATCH))
                moved += batch
                if batch < _BATCH:
                    break
        return moved


def facts_of(
    envelope: RouteEnvelopeV1, drafts: Sequence[RecordDraft], policy: Policy
) -> list[dict[str, Any]]:
    """The facts of one segment in their order, as the JSON that `commit_outcome` takes."""
    request_id, segment_id = envelope.request_context.request_id, envelope.subrequest.segment_id
    return [
        {
            "record_id": str(record_id(request_id, segment_id, ordinal)),
            "ordinal": ordinal,
            **fact_of(policy.stamped(draft)),
        }
        for ordinal, draft in enumerate(drafts)
    ]


def changes_of(envelope: RouteEnvelopeV1, changes: Sequence[RecordChange]) -> list[dict[str, Any]]:
    """The changes of one segment in their order, as the JSON that `commit_outcome` takes."""
    request_id, segment_id = envelope.request_context.request_id, envelope.subrequest.segment_id
    return [
        {
            "change_id": str(change_id(request_id, segment_id, ordinal)),
            "ordinal": ordinal,
            "record_id": str(change.record_id),
            "version": change.version,
            "cause": change.cause,
            "undoes": str(change.undoes) if change.undoes is not None else None,
            "after": _after(change),
            "withdrawn": change.withdrawn,
        }
        for ordinal, change in enumerate(changes)
    ]


def _after(change: RecordChange) -> dict[str, Any] | None:
    """Return the record's new content; whose it is stays, unless that is what changes."""
    if change.after is None:
        return None
    fact = fact_of(change.after)
    if change.whose or change.undoes is not None:
        return fact
    return {name: value for name, value in fact.items() if name not in _WHOSE}


def record_of(row: asyncpg.Record) -> Record:
    """Return a row of `records` as a `Record`."""
    return Record(
        kind=row["kind"],
        occurred_on=row["occurred_on"],
        text=row["text"],
        title=row["title"],
        occurred_at=row["occurred_at"],
        amount=row["amount"],
        currency=row["currency"],
        quantity=row["quantity"],
        quantity_second=row["quantity_second"],
        unit=row["unit"],
        party=row["party"],
        place=row["place"],
        code=row["code"],
        details=row["details"],
        seq=row["seq"],
        channel=row["source_channel"],
        sender=row["sender"],
        contact_id=row["contact_id"],
        sender_class=row["sender_class"],
        record_id=row["record_id"],
        request_id=row["request_id"],
        version=row["version"],
        withdrawn=row["withdrawn_at"] is not None,
        done_on=row["done_on"],
        audience=row["audience"],
        shared_with=tuple(row["shared_with"] or ()),
    )


def fact_of(draft: RecordDraft) -> dict[str, Any]:
    """Return the content of a fact, as JSON."""
    return {
        "kind": draft.kind,
        "title": draft.title,
        "occurred_on": draft.occurred_on.isoformat(),
        "occurred_at": draft.occurred_at.isoformat() if draft.occurred_at is not None else None,
        "amount": _number(draft.amount),
        "currency": draft.currency,
        "quantity": _number(draft.quantity),
        "quantity_second": _number(draft.quantity_second),
        "unit": draft.unit,
        "party": draft.party,
        "place": draft.place,
        "code": draft.code,
        "details": draft.details,
        "text": draft.text,
        "done_on": draft.done_on.isoformat() if draft.done_on is not None else None,
        "audience": draft.audience,
        "shared_with": list(draft.shared_with),
    }


def _number(value: Decimal | None) -> str | None:
    """Return the number as text, which keeps every digit."""
    return format(value, "f") if value is not None else None
