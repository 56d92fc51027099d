"""What was recorded of a message before it was edited (D54, D71).

Invariant: later changes by other messages are kept apart from what the message itself said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID

import asyncpg

from butler_contracts.former import SupersedesV1
from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.store.model import Record, RecordDraft, as_draft
from butler_specialist.store.records import record_of

__all__ = ["Former", "FormerFact", "FormerVersions", "StoredVersions", "said_last"]

_SQL = NamedQueries("butler_specialist.sql", "former.sql")
_VERSIONS: Final = _SQL["versions"]
_NOTED: Final = _SQL["noted"]
_STATES: Final = _SQL["states"]
_CHANGED_OTHERS: Final = _SQL["changed_others"]


@dataclass(frozen=True, slots=True)
class FormerFact:
    """A fact of a former version, as it is now and as the message last stated it."""

    record: Record
    said: RecordDraft


@dataclass(frozen=True, slots=True)
class Former:
    """What its former requests recorded; `acted`: they changed records of other messages too."""

    requests: frozenset[UUID] = frozenset()
    facts: tuple[FormerFact, ...] = ()
    records: frozenset[UUID] = frozenset()
    acted: bool = False


class FormerVersions(Protocol):
    """What an edit needs; `moved_to` are the butlers that now get its text, if it is no longer for this one.

    `corrected`: the text is unchanged and was always meant for them.
    """

    @property
    def moved_to(self) -> tuple[str, ...]: ...

    @property
    def corrected(self) -> bool: ...

    async def former(self) -> Former: ...


class StoredVersions:
    """The former versions of request `request_id` in the pool's schema, as far as `person` told them."""

    def __init__(self, pool: Pool, told: SupersedesV1, *, request_id: UUID, person: str) -> None:
        self._pool = pool
        self._person = person
        self._told = told
        self._request_id = request_id

    @property
    def moved_to(self) -> tuple[str, ...]:
        return self._told.moved_to

    @property
    def corrected(self) -> bool:
        """Return whether the message takes back its own records."""
        return any(part.request_id == self._request_id for part in self._told.parts)

    async def former(self) -> Former:
        """Return the former versions with their records as they are now."""
        named = [part.to_wire() for part in self._told.parts]
        async with acquire(self._pool, doing="reading what an edit replaces") as connection:
            versions = await connection.fetch(_VERSIONS, named, self._request_id)
            requests = [row["request_id"] for row in versions]
            noted = await connection.fetch(
                _NOTED, requests, [row["segment_id"] for row in versions], self._person
            )
            ids = [row["record_id"] for row in noted]
            states = await connection.fetch(_STATES, ids, requests, self._person)
            acted = await connection.fetchval(_CHANGED_OTHERS, requests, ids)
        return Former(frozenset(requests), _facts(noted, states), frozenset(ids), acted)


def _facts(noted: Sequence[asyncpg.Record], states: Sequence[asyncpg.Record]) -> tuple[FormerFact, ...]:
    before: Mapping[UUID, list[tuple[Record, bool]]] = defaultdict(list)
    for row in states:
        before[row["record_id"]].append((record_of(row), row["by_version"]))
    found = ((record := record_of(row), said_last(before[record.record_id], record)) for row in noted)
    return tuple(FormerFact(record, said) for record, said in found if said is not None)


def said_last(before: Sequence[tuple[Record, bool]], now: Record) -> RecordDraft | None:
    """Return what a message last said of a record, whatever others made of it since; None if it dropped the record.

    `before` are its former states in order, each with whether a version of the message ended it.
    """
    states = [*(state for state, _ in before), now]
    last = max((index + 1 for index, (_, by_version) in enumerate(before) if by_version), default=0)
    return None if last and states[last].withdrawn else as_draft(states[last])
