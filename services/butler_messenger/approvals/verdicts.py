"""Records who decided on a delivery, or a call, that waits, once (MSR-03, D65, ADR 0101).

Invariant: of any number who decide, by whichever road, one does, in one statement; what follows from it, a delivery
that ended or one that is to be queued, is the same transaction or is found again by `Releases`; of a call its butler
asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from butler_contracts.errors import ErrorClass, NotFound
from butler_kit.db import Connection, NamedQueries
from butler_kit.operations import Refused
from butler_messenger.approvals.call_words import is_call
from butler_messenger.approvals.ends import ended_unsent
from butler_messenger.approvals.words import moment_text
from butler_messenger.delivery.records import Delivery, Row

__all__ = ["Decided", "Decision", "UnknownApproval", "Verdict", "decide", "find", "unknown_approval"]

Decision = Literal["approved", "denied"]
_SQL: Final = NamedQueries("butler_messenger.sql", "approvals.sql")
_CALLS: Final = NamedQueries("butler_messenger.sql", "call_approvals.sql")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody decided: `who` by name, `via` the road, and why in their words."""

    decision: Decision
    who: str
    via: str
    reason: str


class UnknownApproval(NotFound):
    """Nothing of this id ever waited for an approval, or it is no longer kept (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided on, and the delivery that ended by it, if one did."""

    kind: Literal["message", "call"]
    ended: Delivery | None = None

    @property
    def noun(self) -> str:
        """As operators read it."""
        return "call" if self.kind == "call" else "delivery"


def unknown_approval(delivery_id: UUID) -> UnknownApproval:
    return UnknownApproval(f"no approval {delivery_id}; look for it with messenger_approval_list")


async def find(connection: Connection, approval_id: UUID) -> Row | None:
    """The approval of a delivery, or of a call, as it is kept."""
    row: Row | None = await connection.fetchrow(_SQL["find"], approval_id)
    return row if row is not None else await connection.fetchrow(_CALLS["find"], approval_id)


async def decide(connection: Connection, approval_id: UUID, verdict: Verdict) -> Decided:
    """Decide, and what on. Raises `UnknownApproval`, `Refused`."""
    said = (approval_id, verdict.decision, verdict.who, verdict.via, verdict.reason)
    if await connection.fetchval(_SQL["decide"], *said) is not None:
        if verdict.decision == "approved":
            return Decided("message")
        text = f"it was not approved: {verdict.who} said no ({verdict.reason})"
        ended = await ended_unsent(connection, approval_id, ErrorClass.VALIDATION_ERROR, text)
        return Decided("message", ended)
    if await connection.fetchval(_CALLS["decide"], *said) is not None:
        return Decided("call")
    row = await find(connection, approval_id)
    if row is None:
        raise unknown_approval(approval_id)
    raise Refused(_already_decided(row, approval_id))


def _already_decided(row: Row, approval_id: UUID) -> str:
    """What whoever decides on it too late is told."""
    return f"{'call' if is_call(row) else 'delivery'} {approval_id} is not decided on: {_why_decided(row)}"


def _why_decided(row: Row) -> str:
    if row["decision"] in (None, "expired"):
        return f"its time was over at {moment_text(row['expires_at'])}"
    return f"it was {row['decision']} by {row['decided_by']} at {moment_text(row['decided_at'])} ({row['reason']})"
