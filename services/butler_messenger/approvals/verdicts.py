"""Records who decided on a delivery that waits, once (MSR-03, D65).

Invariant: of any number who decide, by whichever road, one does, in one statement; what follows from it, a delivery
that ended or one that is to be queued, is the same transaction or is found again by `Releases`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from butler_contracts.errors import ErrorClass, NotFound
from butler_kit.db import Connection, NamedQueries
from butler_kit.operations import Refused
from butler_messenger.approvals.ends import ended_unsent
from butler_messenger.approvals.words import moment_text
from butler_messenger.delivery.records import Delivery, Row

__all__ = ["Decision", "UnknownApproval", "Verdict", "decide", "unknown_approval"]

Decision = Literal["approved", "denied"]
_SQL: Final = NamedQueries("butler_messenger.sql", "approvals.sql")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody decided: `who` by name, `via` the road, and why in their words."""

    decision: Decision
    who: str
    via: str
    reason: str


class UnknownApproval(NotFound):
    """No delivery of this id ever waited for an approval, or it is no longer kept (HTTP 404)."""


def unknown_approval(delivery_id: UUID) -> UnknownApproval:
    return UnknownApproval(f"no approval {delivery_id}; look for it with messenger_approval_list")


async def decide(connection: Connection, delivery_id: UUID, verdict: Verdict) -> Delivery | None:
    """Decide; the delivery that ended by it, None where it is to be sent. Raises `UnknownApproval`, `Refused`."""
    decided = await connection.fetchval(
        _SQL["decide"], delivery_id, verdict.decision, verdict.who, verdict.via, verdict.reason
    )
    if decided is None:
        row = await connection.fetchrow(_SQL["find"], delivery_id)
        if row is None:
            raise unknown_approval(delivery_id)
        raise Refused(_already_decided(row))
    if verdict.decision == "approved":
        return None
    text = f"it was not approved: {verdict.who} said no ({verdict.reason})"
    return await ended_unsent(connection, delivery_id, ErrorClass.VALIDATION_ERROR, text)


def _already_decided(row: Row) -> str:
    """What whoever decides on it too late is told."""
    return f"delivery {row['delivery_id']} is not decided on: {_why_decided(row)}"


def _why_decided(row: Row) -> str:
    if row["decision"] in (None, "expired"):
        return f"its time was over at {moment_text(row['expires_at'])}"
    return f"it was {row['decision']} by {row['decided_by']} at {moment_text(row['decided_at'])} ({row['reason']})"
