"""Sign-ins, kept in the database so that signing out holds across replicas and restarts.

A cookie is an independent secret, not a token. The database stores its digest and the token it stands for, sealed
with a key derived from the cookie: reading the table lets nobody sign in or act, and a cookie reveals no token.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final, Protocol

from butler_dashboard.auth.sealing import Seal
from butler_kit.db import NamedQueries, Pool, acquire

__all__ = ["SignIns", "StoredSignIns"]

_SQL = NamedQueries("butler_dashboard", "sql/sign_ins.sql")
_DOING: Final = "looking who is signed in"
_SEAL: Final = Seal("sign-in")


class SignIns(Protocol):
    """Cookies and the tokens that they stand for."""

    async def open(self, token: str, expires_at: datetime) -> str:
        """Return a new cookie for `token`."""
        ...

    async def token_of(self, cookie: str) -> str | None:
        """Return the token behind the cookie; None when it was signed out, was deleted, or never existed."""
        ...

    async def close(self, cookie: str) -> None:
        """Invalidate the cookie."""
        ...


class StoredSignIns:
    """Sign-ins in PostgreSQL. Methods raise `TargetUnavailable` while the database is unavailable."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def open(self, token: str, expires_at: datetime) -> str:
        cookie = secrets.token_urlsafe(32)
        kept = (_SEAL.digest(cookie), _SEAL.close(cookie, token), expires_at)
        async with acquire(self._pool, doing=_DOING) as connection, connection.transaction():
            await connection.execute(_SQL["allow_writing"])
            await connection.execute(_SQL["forget_sign_ins"])
            await connection.execute(_SQL["open_sign_in"], *kept)
        return cookie

    async def token_of(self, cookie: str) -> str | None:
        async with acquire(self._pool, doing=_DOING) as connection:
            sealed: bytes | None = await connection.fetchval(_SQL["find_sign_in"], _SEAL.digest(cookie))
        return _SEAL.open(cookie, sealed)

    async def close(self, cookie: str) -> None:
        async with acquire(self._pool, doing=_DOING) as connection, connection.transaction():
            await connection.execute(_SQL["allow_writing"])
            await connection.execute(_SQL["close_sign_in"], _SEAL.digest(cookie))
