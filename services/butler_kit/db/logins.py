"""Logins of a role: the role itself or its stand-in, so that a new password does not invalidate the old one.

A butler's password changes with the one it is derived from, while replicas that started before go on connecting with
the old one. So a role has two logins that take turns: the one whose password is right keeps it, and a new password
goes to the one that is not in use. A password is checked by connecting; the login in use is recorded in the role's
comment. Invariant: objects belong to the role, whichever of the two connects.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg

from butler_kit.db.faults import is_over_limit
from butler_kit.db.pool import Connection
from butler_kit.db.queries import NamedQueries, quote_identifier

__all__ = ["Login", "Turn", "find_turn", "limit_logins", "login_of", "make_login"]

_QUERIES = NamedQueries("butler_kit.db", "sql/logins.sql")
_KNOWN = _QUERIES["known_logins"]

_SCRAM_ITERATIONS = 4096
_TRYING = "butlers-provision"
_MARK = "butlers: replicas connect as "


@dataclass(frozen=True, slots=True)
class Login:
    """A role that may connect, and its password."""

    role: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """The login whose turn it is to connect for a role."""

    login: Login
    right: bool
    """Whether its password is already right."""
    noted: bool
    """Whether the role's comment is already right."""


async def find_turn(connection: Connection, dsn: str, own: Login, stand_in: Login | None) -> Turn:
    """Return who is to connect for `own.role`; changes nothing. Without a stand-in: the role, its password to be set.

    Passwords are tried at `dsn`. Raises asyncpg's errors when nobody answers there.
    """
    if stand_in is None:
        return Turn(own, right=False, noted=True)
    known = {row["name"]: row["comment"] for row in await connection.fetch(_KNOWN, [own.role, stand_in.role])}
    in_use = _in_use(own.role, known)
    right = None
    for login in sorted((own, stand_in), key=lambda one: one.role != in_use):
        if right is None and login.role in known and await _connects(dsn, login):
            right = login.role
    chosen = login_of(own, stand_in, right=right, in_use=in_use)
    return Turn(chosen, right=chosen.role == right, noted=chosen.role == (in_use or own.role))


def login_of(own: Login, stand_in: Login, *, right: str | None, in_use: str | None) -> Login:
    """Return the login whose password is `right`, else the one that is not in use, for a new password."""
    if right is not None:
        return own if right == own.role else stand_in
    return own if in_use in (None, stand_in.role) else stand_in


def _in_use(role: str, known: dict[str, str | None]) -> str | None:
    """Return the login in the role's comment; a role without one predates stand-ins and connects itself."""
    if role not in known:
        return None
    comment = known[role] or ""
    return comment.removeprefix(_MARK) if comment.startswith(_MARK) else role


async def _connects(dsn: str, login: Login) -> bool:
    settings = {"application_name": _TRYING}
    try:
        connection = await asyncpg.connect(
            dsn, user=login.role, password=login.password, timeout=10.0, server_settings=settings
        )
    except asyncpg.InvalidAuthorizationSpecificationError:
        return False
    except asyncpg.InsufficientPrivilegeError:
        return True  # the password is right; this database is not open to it yet
    except asyncpg.TooManyConnectionsError as error:
        if not is_over_limit(error):
            raise
        return True  # counted after the password was found to be right
    await connection.close(timeout=5.0)
    return True


async def make_login(connection: Connection, own: Login, turn: Turn) -> None:
    """Let `turn.login` connect for the role `own`, inside the caller's transaction."""
    login, role = turn.login, quote_identifier(own.role)
    if not turn.right:
        await _set_password(connection, login)
    if login.role != own.role:
        names = {"role": role, "stand_in": quote_identifier(login.role)}
        await connection.execute(_QUERIES.render("stand_in", **names))
        await connection.execute(_QUERIES.render("act_as_role", **names))
    if not turn.noted:
        text = "'" + (_MARK + login.role).replace("'", "''") + "'"
        await connection.execute(_QUERIES.render("note_login", role=role, text=text))


async def limit_logins(connection: Connection, roles: Sequence[str], connections: int) -> None:
    """Set the connection limit of each of `roles`: raise it at once, lower it when none of them is connected.

    Running processes were started with the former limit in mind, so nothing is taken from them.
    """
    for row in await connection.fetch(_QUERIES["limits"], list(roles), _TRYING):
        had = row["connections"]
        if had == connections or (row["in_use"] and 0 <= connections < had):
            continue
        names = {"role": quote_identifier(row["name"]), "connections": str(connections)}
        await connection.execute(_QUERIES.render("limit_login", **names))


async def _set_password(connection: Connection, login: Login) -> None:
    exists = await connection.fetch(_KNOWN, [login.role])
    # A verifier instead of the password: a statement that fails is written to the server's log.
    verifier = "'" + _scram_verifier(login.password, secrets.token_bytes(16)) + "'"
    statement = "alter_login" if exists else "create_login"
    await connection.execute(_QUERIES.render(statement, role=quote_identifier(login.role), verifier=verifier))


def _scram_verifier(password: str, salt: bytes) -> str:
    """PostgreSQL's stored form of a SCRAM-SHA-256 password (RFC 5803)."""
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _SCRAM_ITERATIONS)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    stored = hashlib.sha256(client_key).digest()
    salt_text, stored_text, server_text = (base64.b64encode(b).decode() for b in (salt, stored, server_key))
    return f"SCRAM-SHA-256${_SCRAM_ITERATIONS}:{salt_text}${stored_text}:{server_text}"
