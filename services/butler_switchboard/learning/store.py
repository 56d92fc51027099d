"""What was learned, in PostgreSQL: examples from the corrections, and the rules that people agreed to (D71, ADR 0111).

It is read for each message that it may decide, so that all replicas decide by the same teachings.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from butler_contracts.context import RequestContext
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_switchboard.dispatch.model import PersonOf, RequestState
from butler_switchboard.learning.deciding import NOTHING, LearnedRule, Teachings
from butler_switchboard.learning.examples import Example, example_of
from butler_switchboard.learning.trying import Decided
from butler_switchboard.routing.message import RoutingMessage

__all__ = ["LearningStore", "examples_in", "member_of", "rules_in"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/learning.sql")
_MEMBER: Final = "member:"


class LearningStore:
    """Raises `TargetUnavailable` while the database is away; `learns`: whether examples decide (`[routing] learn`)."""

    def __init__(self, pool: Pool, person_of: PersonOf, *, learns: bool) -> None:
        self._pool = pool
        self._person_of = person_of
        self.learns = learns

    async def of(self, state: RequestState) -> Teachings:
        """Return what may decide a message."""
        return await self._teachings(state.message.context, learns=self.learns)

    async def _teachings(self, context: RequestContext, *, learns: bool) -> Teachings:
        person = await self._person_of(context)
        if person is None and not learns:
            return NOTHING
        async with acquire(self._pool, doing="reading what was learned") as connection:
            examples = await examples_in(connection) if learns else ()
            rules = await rules_in(connection, person) if person is not None else ()
        return Teachings(examples, rules)

    async def examples(self) -> tuple[Example, ...]:
        """Return the examples that there are, whether or not they decide."""
        async with acquire(self._pool, doing="reading what was learned") as connection:
            return await examples_in(connection)

    async def rules_of(self, person: UUID) -> tuple[LearnedRule, ...]:
        """Return what was ever offered to a person and is still known."""
        async with acquire(self._pool, doing="reading what was learned") as connection:
            return await rules_in(connection, person)

    async def rule(self, rule_id: UUID) -> LearnedRule | None:
        async with acquire(self._pool, doing="reading what was learned") as connection:
            row = await connection.fetchrow(_SQL["rule"], rule_id)
        return _rule(row) if row is not None else None

    async def listed(self, *, every: bool, limit: int) -> list[asyncpg.Record]:
        """Return the rules in force, or all, newest first, with what became of them."""
        async with acquire(self._pool, doing="listing what was learned") as connection:
            return list(await connection.fetch(_SQL["listed"], every, limit))

    async def decided(self, since: datetime, limit: int) -> list[Decided]:
        """Return members' newest messages that no policy decided; what cannot be read is left out."""
        async with acquire(self._pool, doing="reading what was decided") as connection:
            rows = await connection.fetch(_SQL["decided"], since, limit)
        found = [await self._decided(row) for row in rows]
        return [one for one in found if one is not None]

    async def _decided(self, row: asyncpg.Record) -> Decided | None:
        try:
            context = stored(RequestContext, row["request_context"])
        except Unreadable:
            return None
        message = RoutingMessage(
            text=row["normalized_text"],
            channel=context.source_channel.value,
            subject=row["subject"],
            sender_class=context.sender_class,
            automatic=context.automatic,
        )
        person = await self._person_of(context)
        return Decided(row["request_id"], context.received_at, person, message, tuple(row["butlers"]))


async def examples_in(connection: Connection) -> tuple[Example, ...]:
    """Return the household's newest examples, as this connection sees them."""
    found = [_example(row) for row in await connection.fetch(_SQL["examples"])]
    return tuple(one for one in found if one is not None)


async def rules_in(connection: Connection, person: UUID) -> tuple[LearnedRule, ...]:
    """Return what was offered to a person, as this connection sees it."""
    return tuple(_rule(row) for row in await connection.fetch(_SQL["rules_of"], person))


def member_of(corrected_by: str) -> UUID | None:
    """Return the member who corrected; None for an operator, or a member who could not be told apart."""
    try:
        return UUID(corrected_by.removeprefix(_MEMBER)) if corrected_by.startswith(_MEMBER) else None
    except ValueError:
        return None


def _example(row: asyncpg.Record) -> Example | None:
    person = member_of(row["corrected_by"])
    if person is None:
        return None
    return example_of(
        request_id=row["request_id"],
        segment_id=row["segment_id"],
        person=person,
        text=row["text"],
        butler=row["right_butler"],
    )


def _rule(row: asyncpg.Record) -> LearnedRule:
    return LearnedRule(row["rule_id"], row["person"], row["butler"], tuple(row["texts"]), row["state"])
