"""Where it is kept who is signed in: in the database, so that signing out holds for every replica and restart.

A cookie is a secret of its own and no token. Of it the database has a digest, and the token that it stands for, sealed
with a key made from it: whoever reads the table can neither sign in nor act, whoever reads a cookie has no token.
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
        """A new cookie for `token`."""
        ...

    async def token_of(self, cookie: str) -> str | None:
        """What the cookie stands for; None when it was signed out, is forgotten, or never was one."""
        ...

    async def close(self, cookie: str) -> None:
        """The cookie stands for nothing any more."""
        ...


class StoredSignIns:
    """Keeps them in PostgreSQL. Its methods raise `TargetUnavailable` while that is away."""

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
