"""A schema and a role per butler, so that no butler can read another's tables (CON-2.9 in D51's reading).

Safe to repeat, and in any order: a grant is made when the second of its two sides is provisioned. The rights and
schemas that others have in the database are left alone. Where the administrator may not create roles, every schema
belongs to the administrator and `ProvisionResult.role_isolation` is False: the caller reports the condition
`RoleIsolation=False`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncpg

from butler_contracts.errors import InternalFailure, ValidationFailed
from butler_kit.db.logins import Login, Turn, find_turn, limit_logins, make_login
from butler_kit.db.migrate import migrate
from butler_kit.db.migration_files import MigrationSource
from butler_kit.db.pool import Connection
from butler_kit.db.queries import NamedQueries, quote_identifier

__all__ = ["Grant", "ProvisionResult", "ReaderPlan", "SchemaPlan", "administering", "find_login", "provision"]

_QUERIES = NamedQueries("butler_kit.db", "sql/provision.sql")
_MAY_CREATE_ROLES = _QUERIES["may_create_roles"]
_ROLE_EXISTS = _QUERIES["role_exists"]
_SCHEMA_OWNER = _QUERIES["schema_owner"]
_IS_VACANT = _QUERIES["is_vacant"]
_IS_OPEN = _QUERIES["is_open"]
_FOREIGN_OBJECT = _QUERIES["foreign_object"]
_LOCK = _QUERIES["lock"]
_UNLOCK = _QUERIES["unlock"]

_PRIVILEGES = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "REFERENCES", "TRIGGER", "TRUNCATE"})
_LONGEST_STATEMENT_S = 660.0
"""More than the server gives a migration: what is not answered by then never will be."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A role's rights on tables of `schema` (default: the plan's); made once role and table both exist."""

    role: str
    tables: tuple[str, ...]
    privileges: tuple[str, ...] = ("SELECT",)
    schema: str | None = None


@dataclass(frozen=True, slots=True)
class SchemaPlan:
    """One schema, the role that owns it, its migrations, and what others may do in it."""

    schema: str
    role: str
    password: str = field(repr=False)
    migrations: tuple[MigrationSource, ...] = ()
    grants: tuple[Grant, ...] = ()
    mark: str | None = None
    """The owner, recorded beside the schema: without that mark it is never retired (see `retire`)."""
    connection_limit: int | None = None
    """How many connections the logins of the role may have; None leaves that as it is."""


@dataclass(frozen=True, slots=True)
class ReaderPlan:
    """A role that owns nothing; it has only its grants, each of which names its schema.

    It may also read the views named in `everywhere` in every butler's schema that has them by now.
    """

    role: str
    password: str = field(repr=False)
    grants: tuple[Grant, ...] = ()
    everywhere: tuple[str, ...] = ()
    connection_limit: int | None = None


@dataclass(frozen=True, slots=True)
class ProvisionResult:
    """`roles` maps each schema to the role to connect as; `applied` to the migrations applied now."""

    role_isolation: bool
    roles: dict[str, str]
    applied: dict[str, tuple[str, ...]]
    logins: dict[str, Login] = field(default_factory=dict)
    """By role of a plan: the login that connects for it."""
    open_to_all: bool = False
    """Whether every role of the server may connect to the database, which was not empty when the first butler came."""


async def provision(
    admin_dsn: str,
    plans: Sequence[SchemaPlan],
    *,
    readers: Sequence[ReaderPlan] = (),
    stand_ins: Mapping[str, Login] | None = None,
    connect_timeout_s: float = 10.0,
    allow_newer: bool = False,
) -> ProvisionResult:
    """Create or repair roles, schemas, tables and grants of `plans` and `readers`; `allow_newer` as in `migrate`.

    A role that has a stand-in in `stand_ins` keeps the password that running replicas use (see `logins`).
    Raises `MigrationError` as `migrate`, `ValidationFailed` for somebody else's schema, and asyncpg's error when
    the administrator may not even create schemas.
    """
    async with administering(admin_dsn, connect_timeout_s) as (connection, admin):
        turns = (
            await _find_turns(connection, admin_dsn, [*plans, *readers], stand_ins or {})
            if admin["allowed"]
            else []
        )
        isolated = bool(admin["allowed"]) and await _make_roles(
            connection, turns, superuser=admin["superuser"]
        )
        if isolated:
            await _limit_roles(connection, [*plans, *readers], stand_ins or {})
        roles = {plan.schema: plan.role if isolated else str(admin["name"]) for plan in plans}
        is_open = await connection.fetchval(_IS_OPEN)
        applied = await _make_schemas(connection, plans, roles, allow_newer)
        if isolated:
            await _make_grants(connection, plans, readers)
    logins = {own.role: turn.login for own, turn in turns} if isolated else {}
    return ProvisionResult(isolated, roles, applied, logins, open_to_all=isolated and is_open)


async def find_login(
    admin_dsn: str, schema: str, own: Login, stand_in: Login, *, connect_timeout_s: float = 10.0
) -> Login | None:
    """Return who connects for `own.role`, the present or future owner of `schema`; changes nothing.

    None for the administrator.
    """
    async with administering(admin_dsn, connect_timeout_s) as (connection, admin):
        owner = await connection.fetchval(_SCHEMA_OWNER, schema)
        if not (owner == own.role if owner is not None else admin["allowed"]):
            return None
        return (await find_turn(connection, admin_dsn, own, stand_in)).login


@asynccontextmanager
async def administering(
    admin_dsn: str, connect_timeout_s: float
) -> AsyncIterator[tuple[Connection, asyncpg.Record]]:
    """Yield the administrator's connection, with this database locked to others, and that role's rights."""
    connection = await asyncpg.connect(
        admin_dsn, timeout=connect_timeout_s, command_timeout=_LONGEST_STATEMENT_S
    )
    try:
        admin = await connection.fetchrow(_MAY_CREATE_ROLES)
        if admin is None:
            raise InternalFailure("database: the administrator's own role is not in pg_roles")
        await connection.execute(_LOCK, timeout=60.0)
        try:
            yield connection, admin
        finally:
            if not connection.is_closed():
                await connection.execute(_UNLOCK)
    finally:
        await connection.close(timeout=5.0)


async def _find_turns(
    connection: Connection,
    admin_dsn: str,
    plans: Sequence[SchemaPlan | ReaderPlan],
    stand_ins: Mapping[str, Login],
) -> list[tuple[Login, Turn]]:
    owners = {plan.role: Login(plan.role, plan.password) for plan in plans}
    return [
        (own, await find_turn(connection, admin_dsn, own, stand_ins.get(role)))
        for role, own in owners.items()
    ]


async def _make_roles(
    connection: Connection, turns: Sequence[tuple[Login, Turn]], *, superuser: bool
) -> bool:
    database = quote_identifier(await connection.fetchval("SELECT current_database()"))
    try:
        async with connection.transaction():
            await _close_if_vacant(connection, database, superuser=superuser)
            for own, turn in turns:
                await make_login(connection, own, turn)
                if not superuser:
                    await connection.execute(_QUERIES.render("join_role", role=quote_identifier(own.role)))
                for role in sorted({own.role, turn.login.role}):
                    await connection.execute(
                        _QUERIES.render("open_database", database=database, role=quote_identifier(role))
                    )
    except asyncpg.InsufficientPrivilegeError:
        return False
    return True


async def _limit_roles(
    connection: Connection, plans: Sequence[SchemaPlan | ReaderPlan], stand_ins: Mapping[str, Login]
) -> None:
    limits = {plan.role: plan.connection_limit for plan in plans if plan.connection_limit is not None}
    async with connection.transaction():
        for role, connections in limits.items():
            roles = [role, stand_ins[role].role] if role in stand_ins else [role]
            await limit_logins(connection, roles, connections)


async def _close_if_vacant(connection: Connection, database: str, *, superuser: bool) -> None:
    """Close an empty database to others; in one that holds anything, others may rely on their rights."""
    if not await connection.fetchval(_IS_VACANT):
        return
    await connection.execute(_QUERIES.render("close_database", database=database))
    if superuser:
        await connection.execute(_QUERIES["close_public_schema"])


async def _make_schemas(
    connection: Connection, plans: Sequence[SchemaPlan], roles: dict[str, str], allow_newer: bool
) -> dict[str, tuple[str, ...]]:
    applied = {}
    for plan in plans:
        async with connection.transaction():
            await _make_schema(connection, plan.schema, roles[plan.schema])
            if plan.mark is not None:
                await _mark_schema(connection, plan.schema, plan.mark)
        applied[plan.schema] = await migrate(
            connection,
            schema=plan.schema,
            role=roles[plan.schema],
            sources=plan.migrations,
            allow_newer=allow_newer,
        )
    return applied


async def _make_schema(connection: Connection, schema: str, role: str) -> None:
    owner = await connection.fetchval(_SCHEMA_OWNER, schema)
    foreign = await connection.fetchval(_FOREIGN_OBJECT, schema)
    if foreign is not None:
        raise ValidationFailed(
            f"schema {schema} of the database is not a butler's: it has {foreign} and no ledger of migrations; "
            "give the household a database of its own, or the butler another name"
        )
    names = {"schema": quote_identifier(schema), "role": quote_identifier(role)}
    if owner is None:
        await connection.execute(_QUERIES.render("create_schema", **names))
    elif owner != role:
        await connection.execute(_QUERIES.render("own_schema", **names))
        await _hand_over_objects(connection, schema, role)
    await connection.execute(_QUERIES.render("close_schema", schema=names["schema"]))


async def _mark_schema(connection: Connection, schema: str, mark: str) -> None:
    if await connection.fetchval(_QUERIES["schema_mark"], schema) != mark:
        text = "'" + mark.replace("'", "''") + "'"
        await connection.execute(_QUERIES.render("mark_schema", schema=quote_identifier(schema), text=text))


async def _hand_over_objects(connection: Connection, schema: str, role: str) -> None:
    """Hand over an earlier owner's objects: the administrator's right to create roles may have changed."""
    for row in await connection.fetch(_QUERIES["objects_of_others"], schema, role):
        await connection.execute(
            _QUERIES.render("own_object", object=str(row["name"]), role=quote_identifier(role))
        )


async def _make_grants(
    connection: Connection, plans: Sequence[SchemaPlan], readers: Sequence[ReaderPlan]
) -> None:
    wanted = [(grant.schema or plan.schema, grant) for plan in plans for grant in plan.grants]
    wanted += [(grant.schema or "", grant) for reader in readers for grant in reader.grants]
    for reader in readers:
        for row in await connection.fetch(_QUERIES["schemas_with"], list(reader.everywhere)):
            wanted.append((row["schema"], Grant(reader.role, (row["name"],))))
    async with connection.transaction():
        for schema, grant in wanted:
            await _make_grant(connection, schema, grant)


async def _make_grant(connection: Connection, schema: str, grant: Grant) -> None:
    unknown = set(grant.privileges) - _PRIVILEGES
    if unknown:
        raise ValueError(f"unknown table privileges: {', '.join(sorted(unknown))}")
    present = await connection.fetch(_QUERIES["tables_of_schema"], schema, list(grant.tables))
    if not present or not await connection.fetchval(_ROLE_EXISTS, grant.role):
        return
    role = quote_identifier(grant.role)
    await connection.execute(_QUERIES.render("use_schema", schema=quote_identifier(schema), role=role))
    for table in (row["name"] for row in present):
        await connection.execute(
            _QUERIES.render(
                "grant_table",
                privileges=", ".join(grant.privileges),
                table=quote_identifier(f"{schema}.{table}"),
                role=role,
            )
        )
