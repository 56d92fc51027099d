"""The `records` table: facts are added with the outcome they belong to, and read for questions.

Invariant: the n-th fact of a segment of a request exists once, whichever attempt wrote it (SWB-11.1).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import Any, Final

import asyncpg

from butler_contracts.route import RouteEnvelopeV1
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_specialist.store.model import MOST_ROWS, Record, RecordDraft, record_id

__all__ = ["RecordStore"]

_SQL = NamedQueries("butler_specialist.sql", "records.sql")
_ADD: Final = _SQL["add"]
_FIND: Final = _SQL["find"]


class RecordStore:
    """Records in the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def add(
        self, connection: Connection, envelope: RouteEnvelopeV1, drafts: Sequence[RecordDraft]
    ) -> None:
        """Add the facts of one segment inside the caller's transaction, in their order."""
        await connection.executemany(
            _ADD, [_row(envelope, ordinal, draft) for ordinal, draft in enumerate(drafts)]
        )

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
    ) -> Sequence[Record]:
        """The records of `kinds` from `start` up to but not including `end`, newest first, at most `MOST_ROWS`.

        Only what the household itself said counts, unless `all_senders` (D22).
        """
        async with acquire(self._pool, doing="reading records") as connection:
            rows = await connection.fetch(_FIND, list(kinds), start, end, all_senders, MOST_ROWS)
        return [_record(row) for row in rows]


def _row(envelope: RouteEnvelopeV1, ordinal: int, draft: RecordDraft) -> tuple[Any, ...]:
    context, subrequest = envelope.request_context, envelope.subrequest
    return (
        record_id(context.request_id, subrequest.segment_id, ordinal),
        context.request_id,
        subrequest.segment_id,
        ordinal,
        subrequest.subrequest_id,
        draft.kind,
        draft.title,
        draft.occurred_on,
        draft.occurred_at,
        draft.amount,
        draft.currency,
        draft.quantity,
        draft.quantity_second,
        draft.unit,
        draft.party,
        draft.place,
        draft.code,
        draft.details,
        draft.text,
        context.source_channel.value,
        context.source_sender_identity,
        context.sender_class,
    )


def _record(row: asyncpg.Record) -> Record:
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
        sender=row["sender"],
        sender_class=row["sender_class"],
    )
