"""Records sessions' calls outside: before the call, under the lease of the work, and the result (D61).

Invariant: a call without a record was not made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.telemetry import redact
from butler_specialist.outside.model import Called, CallState, Hand, Offer

__all__ = ["Journal", "digest_of", "shown_args"]

_SQL = NamedQueries("butler_specialist.sql", "outside.sql")
_BEGIN: Final = _SQL["begin_call"]
_END: Final = _SQL["end_call"]
_OF_WORK: Final = _SQL["calls_of_work"]
_OF_SUBREQUEST: Final = _SQL["calls_of_subrequest"]
_SHOWN: Final = 300


def digest_of(args: Mapping[str, Any]) -> str:
    """Return a digest that is the same for the same arguments in any order."""
    return sha256(
        json.dumps(dict(args), sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    ).hexdigest()


def shown_args(args: Mapping[str, Any]) -> str:
    """Return a readable part of the arguments, without what looks like a secret."""
    said = ", ".join(f"{name}: {_plain(value)}" for name, value in redact(dict(args)).items())
    line = " ".join(said.replace("\x00", "").split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


class Journal:
    """The table `external_calls` of the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def begin(
        self, call_id: UUID, hand: Hand, session_id: UUID, offer: Offer, args: Mapping[str, Any]
    ) -> bool:
        """Record that the call is about to be made; return False if the lease on the work is lost."""
        async with acquire(self._pool, doing="noting a call outside") as connection:
            noted = await connection.fetchval(
                _BEGIN,
                call_id,
                hand.request_id,
                hand.segment_id,
                hand.subrequest_id,
                session_id,
                offer.server,
                offer.tool,
                offer.read_only,
                digest_of(args),
                shown_args(args),
                hand.lease_id,
            )
        return noted is not None

    async def end(self, call_id: UUID, state: CallState) -> None:
        """Store the result of the call, once."""
        async with acquire(self._pool, doing="keeping what came of a call outside") as connection:
            await connection.execute(_END, call_id, state.value)

    async def of_work(self, request_id: UUID, segment_id: str) -> Sequence[Called]:
        """Return the calls made for a part of a message that may not be repeated, in order."""
        return await self._found(_OF_WORK, request_id, segment_id)

    async def of_subrequest(self, subrequest_id: UUID) -> Sequence[Called]:
        """Return the same for one attempt, whose documents need not be readable."""
        return await self._found(_OF_SUBREQUEST, subrequest_id)

    async def _found(self, statement: str, *arguments: object) -> Sequence[Called]:
        async with acquire(self._pool, doing="looking for calls outside") as connection:
            rows = await connection.fetch(statement, *arguments)
        return [Called(row["server"], row["tool"], row["args_shown"], _state(row["state"])) for row in rows]


def _state(told: str) -> CallState:
    """Return the state; one that only a newer release knows may have done anything."""
    return next((state for state in CallState if state.value == told), CallState.BEGUN)
