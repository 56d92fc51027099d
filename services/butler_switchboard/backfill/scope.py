"""What a message's backfill job allows, from memory: whose messages it may mark, which butlers they are for (D34).

Neither changes after a job was made, so the database is asked once per job, not once per message.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_kit.db import NamedQueries, Pool, acquire

__all__ = ["BackfillScope", "Scope"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/backfill.sql")
CAPACITY: Final = 1_000


@dataclass(frozen=True, slots=True)
class Scope:
    """The source of a job and the butlers its messages are for; all butlers if none is named."""

    connector_type: str
    endpoint_identity: str
    categories: frozenset[str]

    def wants(self, butler: str) -> bool:
        return not self.categories or butler in self.categories


class BackfillScope:
    """Answers from memory; asks the database for a job it has not met."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: OrderedDict[UUID, Scope] = OrderedDict()

    async def of(self, job_id: UUID) -> Scope | None:
        """Return the job's scope, or None if there is no such job."""
        known = self._known.get(job_id)
        if known is not None:
            self._known.move_to_end(job_id)
            return known
        async with acquire(self._pool, doing="reading a backfill job") as connection:
            row = await connection.fetchrow(_SQL["scope_of"], job_id)
        if row is None:
            return None
        scope = Scope(row["connector_type"], row["endpoint_identity"], frozenset(row["target_categories"]))
        self._known[job_id] = scope
        while len(self._known) > CAPACITY:
            self._known.popitem(last=False)
        return scope

    async def check(self, job_id: UUID, connector_type: str | None, endpoint_identity: str) -> None:
        """Refuse a message that names a job of another source, or an unknown one.

        `connector_type` is None for an operator, who submits for every type.
        """
        scope = await self.of(job_id)
        same = scope is not None and scope.endpoint_identity == endpoint_identity
        if not same or (connector_type is not None and scope and scope.connector_type != connector_type):
            raise ValidationFailed(
                f"control.backfill_job_id: job {job_id} does not read '{endpoint_identity}'; "
                "expected the id that backfill.poll gave"
            )
