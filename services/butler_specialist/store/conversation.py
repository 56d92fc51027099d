"""The earlier messages of one person and their answers, which "that" and "undo" may mean.

Invariant: only the person's own messages count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg

from butler_contracts.replied import RepliedV1
from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.store.earlier import Changed, Earlier
from butler_specialist.store.model import Question, Record
from butler_specialist.store.records import record_of
from butler_specialist.store.visibility import Viewer

__all__ = ["StoredConversation", "question_from_wire", "question_to_wire"]

_SQL = NamedQueries("butler_specialist.sql", "conversation.sql")
_LAST: Final = _SQL["last_answers"]
_TOLD: Final = _SQL["told"]
_CHANGED: Final = _SQL["changed"]
_BY_ID: Final = _SQL["by_id"]
_DAYS: Final = 7
_DAYS_OF_A_REPLY: Final = 60
_MOST: Final = 40


class StoredConversation:
    """The messages of `teller` before `subrequest_id`, the last `_MOST` of `_DAYS` days.

    A message that replies to another one sees that one alone, for as long as it is kept: the reply names what it
    means. Records are as they are `seen` by the asker, limited to those that the `viewer` may see. In a group only
    what was said in it counts.
    """

    def __init__(
        self,
        pool: Pool,
        *,
        viewer: Viewer,
        teller: str,
        thread_key: str | None,
        subrequest_id: UUID,
        in_group: bool = False,
        replied: RepliedV1 | None = None,
        seen: Callable[[Record], Record] = lambda record: record,
    ) -> None:
        self._pool = pool
        self._seen = seen
        meant = replied.request_id if replied is not None else None
        days, alone = _DAYS if meant is None else _DAYS_OF_A_REPLY, thread_key if in_group else None
        self._asked = (teller, subrequest_id, days, _MOST, meant, alone)
        self._viewer = viewer.arguments
        self._thread_key = thread_key

    async def earlier(self) -> Sequence[Earlier]:
        """Return them, the newest first; a request with several parts counts once."""
        async with acquire(self._pool, doing="reading what was said before") as connection:
            rows = await connection.fetch(_LAST, *self._asked)
            requests = list(dict.fromkeys(row["request_id"] for row in rows))
            told = await connection.fetch(_TOLD, requests, *self._viewer)
            changed = await connection.fetch(_CHANGED, requests, *self._viewer)
            ids = [row["record_id"] for row in changed]
            current = await connection.fetch(_BY_ID, ids, *self._viewer)
        return _earlier(rows, told, changed, current, self._thread_key, self._of)

    async def records(self, ids: Collection[UUID]) -> Sequence[Record]:
        """Return those of the records that exist, as they are now."""
        async with acquire(self._pool, doing="reading records by id") as connection:
            rows = await connection.fetch(_BY_ID, list(ids), *self._viewer)
        return [self._of(row) for row in rows]

    def _of(self, row: asyncpg.Record) -> Record:
        return self._seen(record_of(row))


def question_to_wire(question: Question | None) -> dict[str, Any] | None:
    """Return the question as `route_inbox.asked` stores it."""
    if question is None:
        return None
    return {
        "text": question.text,
        "moment": question.moment.isoformat(),
        "candidates": [str(candidate) for candidate in question.candidates],
        **({"shown": question.shown} if question.shown else {}),
    }


def _earlier(
    rows: Sequence[asyncpg.Record],
    told: Iterable[asyncpg.Record],
    changed: Iterable[asyncpg.Record],
    current: Iterable[asyncpg.Record],
    thread_key: str | None,
    record_of: Callable[[asyncpg.Record], Record],
) -> Sequence[Earlier]:
    facts: dict[UUID, list[Record]] = defaultdict(list)
    for row in told:
        facts[row["request_id"]].append(record_of(row))
    now = {row["record_id"]: record_of(row) for row in current}
    changes: dict[UUID, list[Changed]] = defaultdict(list)
    for row in changed:
        former, stands = record_of(row), row["stands"]
        change = Changed(former, now[former.record_id], row["cause"], row["undoes"], stands)
        changes[row["changed_by"]].append(change)
    found: dict[UUID, Earlier] = {}
    for row in rows:
        request_id = row["request_id"]
        found.setdefault(
            request_id,
            Earlier(
                request_id,
                row["outcome_at"],
                fresh=row["fresh"],
                in_thread=row["thread_key"] == thread_key,
                told=tuple(facts[request_id]),
                changed=tuple(changes[request_id]),
                question=question_from_wire(row["asked"]),
                text=row["prompt"] or "",
            ),
        )
    return tuple(found.values())


def question_from_wire(document: dict[str, Any] | None) -> Question | None:
    """Return the question that `route_inbox.asked` holds."""
    if document is None:
        return None
    return Question(
        document["text"],
        datetime.fromisoformat(document["moment"]),
        tuple(UUID(candidate) for candidate in document["candidates"]),
        document.get("shown"),
    )
