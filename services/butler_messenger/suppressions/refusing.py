"""Checks whether a recipient is suppressed, and adds suppressions (docs/adr/0083).

Invariants: a recipient has at most one suppression in force; only unsolicited messages are refused: a person who has
just written is answered, whatever is known about their address.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from butler_contracts.errors import Conflict, ValidationFailed
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_messenger.delivery.outgoing import Wished
from butler_messenger.suppressions.words import refusal_text

__all__ = ["Cause", "SuppressedRecipient", "SuppressionList"]

_SQL: Final = NamedQueries("butler_messenger.sql", "suppressions.sql")

Reason = Literal["bounced", "complained", "unsubscribed", "operator"]


class SuppressedRecipient(ValidationFailed):
    """The recipient gets no unsolicited messages; a retry fails until an operator ends the suppression."""

    def __init__(self, message: str, suppression_id: UUID) -> None:
        super().__init__(message)
        self.suppression_id = suppression_id


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a recipient is suppressed: the reason, its words (`evidence`), by whom, and for which delivery."""

    reason: Reason
    evidence: str
    who: str
    delivery_id: UUID | None = None


class SuppressionList:
    """One list for all replicas."""

    def __init__(self, pool: Pool, *, new_id: Callable[[], UUID]) -> None:
        self._pool = pool
        self._new_id = new_id

    async def refusal(self, wished: Wished) -> SuppressedRecipient | None:
        """Return the refusal; None for a message that may go out, as every reply may."""
        if wished.intent != "send" or wished.target_identity is None:
            return None
        async with acquire(self._pool, doing="looking for a suppression") as connection:
            return await self.refusal_of(connection, wished.channel, wished.target_identity)

    async def refusal_of(
        self, connection: Connection, channel: str, target: str
    ) -> SuppressedRecipient | None:
        """Return the same for a send to `target`, in the caller's transaction."""
        row = await connection.fetchrow(_SQL["in_force"], channel, target)
        return SuppressedRecipient(refusal_text(channel, row), row["suppression_id"]) if row else None

    async def check(self, connection: Connection, wished: Wished) -> None:
        """Raise `SuppressedRecipient` for a send that must not go out."""
        if wished.intent != "send" or wished.target_identity is None:
            return
        refused = await self.refusal_of(connection, wished.channel, wished.target_identity)
        if refused is not None:
            raise refused

    async def remember(self, refused: SuppressedRecipient, origin: str) -> None:
        """Record the first refused message, so that the owner is told about it."""
        async with acquire(self._pool, doing="noting a refusal") as connection:
            await connection.execute(_SQL["refused"], refused.suppression_id, origin)

    async def add(self, connection: Connection, channel: str, target: str, cause: Cause) -> UUID | None:
        """Suppress from now on; None if it is suppressed already."""
        added: UUID | None = await connection.fetchval(
            _SQL["add"],
            self._new_id(),
            channel,
            target,
            cause.reason,
            cause.evidence,
            cause.delivery_id,
            cause.who,
        )
        return added

    async def instead(self, connection: Connection, channel: str, target: str, cause: Cause) -> UUID:
        """Suppress for this reason, replacing any other one, since it is the recipient's own."""
        known = await connection.fetchrow(_SQL["in_force"], channel, target)
        if known is not None:
            await connection.execute(_SQL["end"], known["suppression_id"], cause.who, cause.reason)
        added = await self.add(connection, channel, target, cause)
        if added is None:
            raise Conflict("the recipient was suppressed at this moment; ask again", retryable=True)
        return added
