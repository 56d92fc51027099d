"""The messages to read and the findings in them, in PostgreSQL (SWB-17.1).

Invariant: a finding is written by the statement that takes its message out of the queue, so it is written once, and
not at all once its person has asked for everything to be forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_kit.db import NamedQueries, Pool, acquire, transaction
from butler_kit.queue import Lease, LeaseLost
from butler_switchboard.extraction.signals import Signal

__all__ = ["LANE", "MOST_WAITING", "TABLE", "ExtractionStore", "Source"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/extraction.sql")
TABLE: Final = "extraction_queue"
LANE: Final = "default"
MOST_WAITING: Final = 1_000
"""In messages; those that arrive while so many wait are not read."""
_CHUNK: Final = 1_000


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a finding: the version of a skill, and the family and model that it instructed."""

    skill: str
    skill_version: str
    family: str
    model_version: str


class ExtractionStore:
    """Raises `TargetUnavailable` or `TimedOut` while the database is away."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def add(self, request_id: UUID, person: UUID) -> bool:
        """Queue a message of `person`, once; return False if too many wait."""
        async with acquire(self._pool, doing="queueing an extraction") as connection:
            free: bool = await connection.fetchval(_SQL["add"], request_id, LANE, str(person), MOST_WAITING)
        return free

    async def write(
        self, lease: Lease, person: UUID, found: Sequence[Signal], source: Source, *, former: Sequence[UUID]
    ) -> None:
        """Finish a message with its findings, which replace those of former versions. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="writing an extraction") as connection:
            held = await connection.fetchval(
                _SQL["write"],
                lease.item_id,
                lease.lease_id,
                list(former),
                person,
                [one.type.value for one in found],
                [one.subject for one in found],
                [one.start for one in found],
                [one.end for one in found],
                [one.confidence for one in found],
                source.skill,
                source.skill_version,
                source.family,
                source.model_version,
            )
        if not held:
            raise LeaseLost(f"{TABLE}: {lease.item_id} is no longer ours")

    async def drop(self, requests: Sequence[UUID]) -> None:
        """Delete the findings of these messages; those that wait are not read."""
        async with acquire(self._pool, doing="dropping extractions") as connection:
            await connection.execute(_SQL["drop"], list(requests))

    async def forget(self, person: UUID) -> int:
        """Delete a person's findings, waiting messages and the words of their sessions; return how many findings."""
        gone = 0
        async with transaction(self._pool, doing="forgetting extractions") as connection:
            await connection.execute(_SQL["forget_waiting"], str(person), LANE)
            await connection.execute(_SQL["forget_words"], str(person))
            while True:
                status = await connection.execute(_SQL["forget_found"], person, _CHUNK)
                gone += (count := int(status.rpartition(" ")[2]))
                if count < _CHUNK:
                    return gone
