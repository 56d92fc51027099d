"""Retirement of the schema and the role of a butler that is gone: closed and kept, or dropped.

Invariant: touches only a schema that provisioning marked for that very butler (its uid), owned by that butler's own
role, which no other database of the server knows; a butler that came back under the same name has another mark and is
left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from butler_kit.db.pool import Connection
from butler_kit.db.provision import administering
from butler_kit.db.queries import NamedQueries, quote_identifier

__all__ = ["Outcome", "Retiree", "retire"]

_QUERIES = NamedQueries("butler_kit.db", "sql/retire.sql")


class Outcome(StrEnum):
    """`retained`: the role cannot log in, data stays. `dropped`: nothing is left. `left`: not ours to touch."""

    RETAINED = "retained"
    DROPPED = "dropped"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Retiree:
    """A butler that is gone; `mark` is what provisioning wrote beside its schema."""

    schema: str
    role: str
    stand_in: str
    mark: str
    drop: bool = False


class _ReachesOthersError(Exception):
    """The drop would also remove something that is not the butler's."""


async def retire(
    admin_dsn: str, retirees: Sequence[Retiree], *, connect_timeout_s: float = 10.0
) -> tuple[Outcome, ...]:
    """Close or drop each, in order; safe to repeat. Raises asyncpg's errors."""
    async with administering(admin_dsn, connect_timeout_s) as (connection, _):
        return tuple([await _retire(connection, one) for one in retirees])


async def _retire(connection: Connection, one: Retiree) -> Outcome:
    there = await connection.fetchrow(_QUERIES["standing"], one.schema, one.role, one.stand_in)
    if there is None:
        return Outcome.DROPPED
    if there["mark"] != one.mark or there["owner"] != one.role or there["elsewhere"]:
        return Outcome.LEFT
    await _close(connection, one)
    if not one.drop:
        return Outcome.RETAINED
    try:
        async with connection.transaction():
            await _drop(connection, one)
    except _ReachesOthersError:
        return Outcome.RETAINED
    return Outcome.DROPPED


async def _close(connection: Connection, one: Retiree) -> None:
    async with connection.transaction():
        roles = await _roles(connection, one)
        for role in roles:
            await connection.execute(_QUERIES.render("close_role", role=quote_identifier(role)))
    await connection.fetchval(_QUERIES["end_sessions"], roles)


async def _drop(connection: Connection, one: Retiree) -> None:
    before = await connection.fetchval(_QUERIES["objects_outside"], one.schema)
    await connection.execute(_QUERIES.render("drop_schema", schema=quote_identifier(one.schema)))
    after = await connection.fetchval(_QUERIES["objects_outside"], one.schema)
    if before != after or await connection.fetchval(_QUERIES["owns_more"], one.role):
        raise _ReachesOthersError
    # The stand-in is a member of the role, and goes first.
    for role in sorted(await _roles(connection, one), key=lambda name: name == one.role):
        await connection.execute(_QUERIES.render("drop_rights", role=quote_identifier(role)))
        await connection.execute(_QUERIES.render("drop_role", role=quote_identifier(role)))


async def _roles(connection: Connection, one: Retiree) -> list[str]:
    rows = await connection.fetch(_QUERIES["roles_there"], [one.role, one.stand_in])
    return [str(row["name"]) for row in rows]
