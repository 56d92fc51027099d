"""One person's own records (D68): every read names the person, so nobody else's can be found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol
from uuid import UUID

from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.store.model import PRIVATE, Record
from butler_specialist.store.records import record_of
from butler_specialist.store.visibility import Policy

__all__ = ["MOST_OWN", "OwnRecords", "StoredOwnRecords", "Wanted"]

_SQL = NamedQueries("butler_specialist.sql", "records.sql")
_FIND: Final = _SQL["find_own"]
_BY_ID: Final = _SQL["own_by_id"]
MOST_OWN: Final = 1000
"""The most records that one search reads."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search: both days are included.

    A record matches any of `words`, and every record does without words.
    """

    kinds: Collection[str]
    words: Sequence[str] = ()
    since: date | None = None
    until: date | None = None


class OwnRecords(Protocol):
    """The records that a session's tools may see: nothing of another person."""

    async def find(self, wanted: Wanted) -> Sequence[Record]: ...

    async def one(self, record_id: UUID) -> Record | None: ...


class StoredOwnRecords:
    """The records of `person` (see `teller_key`) in the pool's schema.

    `in_group` limits them to what all may see.
    """

    def __init__(self, pool: Pool, person: str, policy: Policy, *, in_group: bool) -> None:
        self._pool = pool
        self._person = person
        self._seen = (in_group, [*PRIVATE, *policy.private], list(policy.personal))

    async def find(self, wanted: Wanted) -> Sequence[Record]:
        """Return at most `MOST_OWN` records, the best matching and newest first."""
        asked = (list(wanted.kinds), wanted.since, wanted.until, list(wanted.words), MOST_OWN)
        async with acquire(self._pool, doing="reading a person's records") as connection:
            rows = await connection.fetch(_FIND, self._person, *asked, *self._seen)
        return [record_of(row) for row in rows]

    async def one(self, record_id: UUID) -> Record | None:
        """Return the record, if it is this person's and not withdrawn."""
        async with acquire(self._pool, doing="reading a person's record") as connection:
            row = await connection.fetchrow(_BY_ID, self._person, record_id, *self._seen)
        return record_of(row) if row is not None else None
