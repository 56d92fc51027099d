"""One-time links: codes that open a session and contain no token.

Invariant: a code opens one session, at any replica, within five minutes of its creation; at most 64 are pending.
"""

from __future__ import annotations

import secrets
from typing import Final, Protocol

from butler_contracts.errors import OverloadRejected
from butler_dashboard.auth.sealing import Seal
from butler_kit.db import NamedQueries, Pool, acquire

__all__ = ["LINKS_MAX", "LINK_TTL_S", "Links", "StoredLinks"]

LINK_TTL_S: Final = 300.0
LINKS_MAX: Final = 64
_SQL = NamedQueries("butler_dashboard", "sql/links.sql")
_SEAL: Final = Seal("link")
_DOING: Final = "keeping one-time links"


class Links(Protocol):
    """Codes and the tokens that they stand for."""

    async def make(self, token: str) -> str:
        """Return a code for the session that `token` opens. Raises `OverloadRejected`."""
        ...

    async def claim(self, code: str) -> str | None:
        """Return the token behind a code, once; None for a used, expired or unknown code."""
        ...


class StoredLinks:
    """One-time links in PostgreSQL. Methods raise `TargetUnavailable` while the database is unavailable."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def make(self, token: str) -> str:
        code = secrets.token_urlsafe(32)
        kept = (_SEAL.digest(code), _SEAL.close(code, token), LINK_TTL_S, LINKS_MAX)
        async with acquire(self._pool, doing=_DOING) as connection, connection.transaction():
            await connection.execute(_SQL["allow_writing"])
            await connection.execute(_SQL["make_links_in_turn"])
            await connection.execute(_SQL["forget_links"])
            made = await connection.fetchval(_SQL["make_link"], *kept)
        if made is None:
            raise OverloadRejected("too many one-time links wait to be opened", retry_after_s=LINK_TTL_S)
        return code

    async def claim(self, code: str) -> str | None:
        async with acquire(self._pool, doing=_DOING) as connection, connection.transaction():
            await connection.execute(_SQL["allow_writing"])
            sealed: bytes | None = await connection.fetchval(_SQL["claim_link"], _SEAL.digest(code))
        return _SEAL.open(code, sealed)
