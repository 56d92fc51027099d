"""External tool calls that wait for a person: requested by a butler, decided here, made by that butler (D61).

A member's message that waits for a grown-up is such a call, Switchboard's own (ADR 0124).

Invariants: an id stands for one call with one text of arguments, for good; asking again returns the decision, and
asking never decides.
"""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.call_approvals import CallForApproval, CallVerdict, digest_of
from butler_contracts.errors import Conflict, OverloadRejected, ValidationFailed
from butler_contracts.request_approvals import ROUTE_SERVER
from butler_kit.db import Connection, NamedQueries, Pool, transaction
from butler_kit.telemetry import get_logger
from butler_messenger.admission.identity import normalised_identity
from butler_messenger.approvals.approvers import Approvers
from butler_messenger.approvals.gate import MOST_WAITING

__all__ = ["MOST_OF_ONE", "CallApprovals"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_messenger.sql", "call_approvals.sql")
_COME_AGAIN_S: Final = 600.0
_BATCH: Final = 100
MOST_OF_ONE: Final = 10
"""The most requests of one member that wait at a time; another is not asked about."""


class CallApprovals:
    """The call approvals, the same on every replica; each waits `expires_after_s` seconds."""

    def __init__(self, pool: Pool, approvers: Approvers, *, expires_after_s: float) -> None:
        self._pool = pool
        self._approvers = approvers
        self._expires_after_s = expires_after_s

    async def ask(self, call: CallForApproval) -> CallVerdict:
        """Record the request once and return its verdict. Raises `Conflict`, `OverloadRejected`, `ValidationFailed`."""
        digest = digest_of(call.arguments)
        async with transaction(self._pool, doing="asking about a call") as connection:
            row = await connection.fetchrow(_SQL["verdict"], call.call_id)
            if row is None:
                row = await self._asked_first(connection, call, digest)
        if not _is_same(row, call, digest):
            raise Conflict(f"call {call.call_id} was asked about with other arguments; ask under another id")
        return CallVerdict(
            call_id=call.call_id,
            state=row["state"],
            arguments_digest=row["arguments_digest"],
            expires_at=row["expires_at"],
            decided_by=row["decided_by"],
            reason=row["reason"],
            decided_ago_s=row["decided_ago_s"],
            asked=await self._who_decides(row) if call.origin_butler == ROUTE_SERVER else (),
        )

    async def _who_decides(self, row: Any) -> tuple[str, ...]:
        """Return the names of those who may decide on a member's request: nobody on their own."""
        approvers = await self._approvers.all()
        return tuple(one.name for one in approvers if one.contact_id != row["contact_id"])

    async def _asked_first(self, connection: Connection, call: CallForApproval, digest: str) -> Any:
        waiting: int = await connection.fetchval(_SQL["open_count"])
        if waiting >= MOST_WAITING:
            raise OverloadRejected(
                f"{waiting} calls wait for an approval; it comes again when some are decided",
                retry_after_s=_COME_AGAIN_S,
            )
        sender = normalised_identity(call.channel, call.sender)
        if call.origin_butler == ROUTE_SERVER:
            await _check_room_of(connection, call.channel, sender)
        await connection.execute(
            _SQL["ask"],
            call.call_id,
            call.origin_butler,
            call.request_id,
            call.channel,
            sender,
            call.server,
            call.tool,
            call.arguments,
            digest,
            self._expires_after_s,
        )
        _log.info("call_approval_wanted", approval_id=str(call.call_id), origin_butler=call.origin_butler)
        return await connection.fetchrow(_SQL["verdict"], call.call_id)

    async def expire(self) -> None:
        """End the calls that nobody decided in time."""
        async with transaction(self._pool, doing="ending calls that nobody approved") as connection:
            rows = await connection.fetch(_SQL["expire"], _BATCH)
        for row in rows:
            _log.warning("call_approval_expired", approval_id=str(row["approval_id"]))


async def _check_room_of(connection: Connection, channel: str, sender: str) -> None:
    waiting: int = await connection.fetchval(_SQL["open_count_of"], channel, sender)
    if waiting >= MOST_OF_ONE:
        raise ValidationFailed(
            f"{waiting} requests of this member wait already; expected fewer than {MOST_OF_ONE}"
        )


def _is_same(row: Any, call: CallForApproval, digest: str) -> bool:
    known = (row["origin_butler"], row["request_id"], row["server"], row["tool"], row["arguments_digest"])
    return bool(known == (call.origin_butler, call.request_id, call.server, call.tool, digest))
