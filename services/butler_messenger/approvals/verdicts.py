"""Records the one decision on a waiting delivery or call (MSR-03, D65, ADR 0101).

Invariant: of any number of decisions, by whichever route, one counts, in one statement. Its effect, a delivery that
ended or that is to be queued, is in the same transaction or is found again by `Releases`; the verdict on a call is
fetched by its butler.
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
    """A decision: `who` by name, `via` which route, and the reason in their words."""

    decision: Decision
    who: str
    via: str
    reason: str


class UnknownApproval(NotFound):
    """No approval has this id, or it is no longer kept (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The kind of approval that was decided, and the delivery that the decision ended, if any."""

    kind: Literal["message", "call"]
    ended: Delivery | None = None

    @property
    def noun(self) -> str:
        """The word for operators."""
        return "call" if self.kind == "call" else "delivery"


def unknown_approval(delivery_id: UUID) -> UnknownApproval:
    return UnknownApproval(f"no approval {delivery_id}; look for it with messenger_approval_list")


async def find(connection: Connection, approval_id: UUID) -> Row | None:
    """Return the row of a delivery's or a call's approval."""
    row: Row | None = await connection.fetchrow(_SQL["find"], approval_id)
    return row if row is not None else await connection.fetchrow(_CALLS["find"], approval_id)


async def decide(connection: Connection, approval_id: UUID, verdict: Verdict) -> Decided:
    """Record the verdict and return what was decided. Raises `UnknownApproval`, `Refused`."""
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
    """Return the refusal of a decision that comes too late."""
    return f"{'call' if is_call(row) else 'delivery'} {approval_id} is not decided on: {_why_decided(row)}"


def _why_decided(row: Row) -> str:
    if row["decision"] in (None, "expired"):
        return f"its time was over at {moment_text(row['expires_at'])}"
    return f"it was {row['decision']} by {row['decided_by']} at {moment_text(row['decided_at'])} ({row['reason']})"
