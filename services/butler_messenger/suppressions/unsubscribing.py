"""Unsubscribes a recipient who sends back the token of an unsolicited mail (docs/adr/0086).

Invariants: a token counts once, so that the same mail read again changes nothing that an operator decided since; an
unknown one leaves no trace but a line in the log, and nobody is answered either way. The address comes from the
delivery, never from the sender. The suppression and the record of it are one transaction.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.operations import Acting, Effect, Operations, Order
from butler_kit.telemetry import get_logger
from butler_messenger.delivery.records import Row
from butler_messenger.suppressions.refusing import Cause, SuppressionList

__all__ = ["Unsubscribing"]

_log = get_logger(__name__)

_UNSUBSCRIBED: Final = NamedQueries("butler_messenger.sql", "suppressions.sql")["unsubscribed"]


class Unsubscribing:
    """Handles the unsubscriptions that Switchboard routes here."""

    def __init__(self, pool: Pool, operations: Operations, suppressions: SuppressionList) -> None:
        self._pool = pool
        self._operations = operations
        self._suppressions = suppressions

    async def take(self, token: UUID) -> dict[str, Any]:
        """Suppress the recipient of the mail with this token; return the route's result."""
        async with acquire(self._pool, doing="looking for the mail of an unsubscription") as connection:
            row = await connection.fetchrow(_UNSUBSCRIBED, token)
        if row is None:
            _log.info("unsubscription_of_nothing_sent")
            return {"unsubscribed": []}
        done = await self._operations.run(_order(row), lambda acting: self._suppress(acting, row))
        if not done.repeated:
            _log.warning("recipient_unsubscribed", delivery_id=str(row["delivery_id"]))
        return {"unsubscribed": [str(row["delivery_id"])]}

    async def _suppress(self, acting: Acting, row: Row) -> Effect:
        channel, target = row["channel"], row["target_identity"]
        evidence = f"by mail, in answer to one of {row['origin_butler']}"
        cause = Cause("unsubscribed", evidence, target, row["delivery_id"])
        added = await self._suppressions.instead(acting.connection, channel, target, cause)
        answer = {"suppression_id": str(added), "channel": channel, "target_identity": target}
        return Effect(answer, f"{target} wants no {channel} that nobody there asked for")


def _order(row: Row) -> Order:
    """Return the order, the same for every mail that comes back with the token of this delivery."""
    return Order(
        uid=f"unsubscribe:{row['delivery_id']}",
        action="recipient.unsubscribe",
        target=f"recipient/{row['channel']}/{row['target_identity']}",
        reason="a mail that named one that went there alone",
        actor=row["target_identity"],
    )
