"""A schema and a role per butler, so that no butler can read another's tables (CON-2.9 in D51's reading).

Safe to repeat, and in any order: a grant is made by whoever is provisioned last of its two sides. Where the
administrator may not create roles, every schema belongs to the administrator and `ProvisionResult.role_isolation` is
False: the caller reports the condition `RoleIsolation=False`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg

from butler_contracts.errors import InternalFailure
from butler_kit.db.migrate import MigrationSource, migrate
from butler_kit.db.pool import Connection
from butler_kit.db.queries import NamedQueries, quote_identifier

__all__ = ["Grant", "ProvisionResult", "ReaderPlan", "SchemaPlan", "provision"]

_QUERIES = NamedQueries("butler_kit.db", "sql/provision.sql")
_MAY_CREATE_ROLES = _QUERIES["may_create_roles"]
_ROLE_EXISTS = _QUERIES["role_exists"]
_SCHEMA_OWNER = _QUERIES["schema_owner"]
_LOCK = _QUERIES["lock"]
_UNLOCK = _QUERIES["unlock"]

_PRIVILEGES = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "REFERENCES", "TRIGGER", "TRUNCATE"})
_SCRAM_ITERATIONS = 4096
_LONGEST_STATEMENT_S = 660.0
"""More than the server gives a migration: what is not answered by then never will be."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a role may do with tables of `schema`, by default the plan's own; made once role and table both exist."""

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


@dataclass(frozen=True, slots=True)
class ReaderPlan:
    """A role that owns nothing: what it may do are its grants, each of which names its schema."""

    role: str
    password: str = field(repr=False)
    grants: tuple[Grant, ...] = ()


@dataclass(frozen=True, slots=True)
class ProvisionResult:
    """`roles` maps each schema to the role to connect as; `applied` to the migrations applied now."""

    role_isolation: bool
    roles: dict[str, str]
    applied: dict[str, tuple[str, ...]]


async def provision(
    admin_dsn: str,
    plans: Sequence[SchemaPlan],
    *,
    readers: Sequence[ReaderPlan] = (),
    connect_timeout_s: float = 10.0,
    allow_newer: bool = False,
) -> ProvisionResult:
    """Create or repair roles, schemas, tables and grants of `plans` and `readers`; `allow_newer` as `migrate` has it.

    Raises `MigrationError` as `migrate`, and asyncpg's error when the administrator may not even create
    schemas.
    """
    connection = await asyncpg.connect(
        admin_dsn, timeout=connect_timeout_s, command_timeout=_LONGEST_STATEMENT_S
    )
    try:
        admin = await connection.fetchrow(_MAY_CREATE_ROLES)
        if admin is None:
            raise InternalFailure("database: the administrator's own role is not in pg_roles")
        await connection.execute(_LOCK, timeout=60.0)
        try:
            isolated = await _make_roles(connection, [*plans, *readers], admin)
            roles = {plan.schema: plan.role if isolated else str(admin["name"]) for plan in plans}
            applied = await _make_schemas(connection, plans, roles, allow_newer)
            if isolated:
                await _make_grants(connection, plans, readers)
        finally:
            if not connection.is_closed():
                await connection.execute(_UNLOCK)
    finally:
        await connection.close(timeout=5.0)
    return ProvisionResult(role_isolation=isolated, roles=roles, applied=applied)


async def _make_roles(
    connection: Connection, plans: Sequence[SchemaPlan | ReaderPlan], admin: asyncpg.Record
) -> bool:
    if not admin["allowed"]:
        return False
    database = quote_identifier(await connection.fetchval("SELECT current_database()"))
    try:
        async with connection.transaction():
            await connection.execute(_QUERIES.render("close_database", database=database))
            if admin["superuser"]:
                await connection.execute(_QUERIES["close_public_schema"])
            for role, password in {plan.role: plan.password for plan in plans}.items():
                await _make_role(connection, role, password)
                if not admin["superuser"]:
                    await connection.execute(_QUERIES.render("join_role", role=quote_identifier(role)))
                await connection.execute(
                    _QUERIES.render("open_database", database=database, role=quote_identifier(role))
                )
    except asyncpg.InsufficientPrivilegeError:
        return False
    return True


async def _make_role(connection: Connection, role: str, password: str) -> None:
    statement = "alter_role" if await connection.fetchval(_ROLE_EXISTS, role) else "create_role"
    # A verifier instead of the password: a statement that fails is written to the server's log.
    verifier = "'" + _scram_verifier(password, secrets.token_bytes(16)) + "'"
    await connection.execute(_QUERIES.render(statement, role=quote_identifier(role), verifier=verifier))


async def _make_schemas(
    connection: Connection, plans: Sequence[SchemaPlan], roles: dict[str, str], allow_newer: bool
) -> dict[str, tuple[str, ...]]:
    applied = {}
    for plan in plans:
        async with connection.transaction():
            await _make_schema(connection, plan.schema, roles[plan.schema])
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
    names = {"schema": quote_identifier(schema), "role": quote_identifier(role)}
    if owner is None:
        await connection.execute(_QUERIES.render("create_schema", **names))
    elif owner != role:
        await connection.execute(_QUERIES.render("own_schema", **names))
        await _hand_over_objects(connection, schema, role)
    await connection.execute(_QUERIES.render("close_schema", schema=names["schema"]))


async def _hand_over_objects(connection: Connection, schema: str, role: str) -> None:
    """What an earlier owner made: the administrator may have got or lost the right to create roles since."""
    for row in await connection.fetch(_QUERIES["objects_of_others"], schema, role):
        await connection.execute(
            _QUERIES.render("own_object", object=str(row["name"]), role=quote_identifier(role))
        )


async def _make_grants(
    connection: Connection, plans: Sequence[SchemaPlan], readers: Sequence[ReaderPlan]
) -> None:
    wanted = [(grant.schema or plan.schema, grant) for plan in plans for grant in plan.grants]
    wanted += [(grant.schema or "", grant) for reader in readers for grant in reader.grants]
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


def _scram_verifier(password: str, salt: bytes) -> str:
    """PostgreSQL's stored form of a SCRAM-SHA-256 password (RFC 5803)."""
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _SCRAM_ITERATIONS)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    stored = hashlib.sha256(client_key).digest()
    salt_text, stored_text, server_text = (base64.b64encode(b).decode() for b in (salt, stored, server_key))
    return f"SCRAM-SHA-256${_SCRAM_ITERATIONS}:{salt_text}${stored_text}:{server_text}"
