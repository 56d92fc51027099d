"""Finds the message that a member's correction is about (D71)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from butler_contracts.stored import stored
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.operations import Operations
from butler_kit.telemetry import get_logger
from butler_switchboard.dispatch.correcting import (
    Meant,
    of_same_person,
    operation_uid,
    plan_of_correction,
    plan_of_deed,
    said_by_member,
)
from butler_switchboard.dispatch.model import Plan, RequestState
from butler_switchboard.dispatch.replies import Replies
from butler_switchboard.dispatch.state import load_request
from butler_switchboard.dispatch.withdrawing import own_parts
from butler_switchboard.operations.correction_models import CorrectedView
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.conversation import FOLLOWED
from butler_switchboard.routing.rules.correcting import Correction

__all__ = ["Corrections"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_switchboard", "sql/dispatch.sql")
_MOST: Final = 8
"""How many messages are searched for the last one that went to a butler."""


class Corrections:
    """Plans corrections of the message that is replied to, or else of the same person's last recent one."""

    def __init__(self, pool: Pool, replies: Replies) -> None:
        self._pool = pool
        self._replies = replies
        self._operations = Operations(pool)

    async def plan(self, state: RequestState, registry: RegistryView) -> Plan | None:
        """Return the plan, or None if the message corrects nothing. Raises `Unreadable`."""
        said = said_by_member(state, registry)
        if said is None:
            return None
        carried_out = await self._carried_out(state, said)
        if carried_out is not None:
            return carried_out
        meant = await self._replied(state) if state.message.in_reply_to else await self._last(state)
        if meant is None:
            return None
        plan = plan_of_correction(state, said, meant, registry)
        _log.info("corrected", of=str(meant.request.request_id), to=said.to, done=plan.corrects is not None)
        return plan

    async def _carried_out(self, state: RequestState, said: Correction) -> Plan | None:
        """Return the plan of a correction that was carried out by a worker that did not get to commit its plan."""
        done = await self._operations.done_before(operation_uid(state))
        if done is None:
            return None
        deed = stored(CorrectedView, done.document())
        async with acquire(self._pool, doing="reading what was corrected") as connection:
            corrected = await load_request(connection, deed.request_id)
        return plan_of_deed(state, said, corrected, deed) if corrected is not None else None

    async def _replied(self, state: RequestState) -> Meant | None:
        """Return the message replied to; a reply to what others wrote, or were told, corrects nothing."""
        word = await self._replies.meant(state)
        if word is None:
            return await self._last(state)
        if word.request_id is None:
            return None
        async with acquire(self._pool, doing="reading what is corrected") as connection:
            found = await load_request(connection, word.request_id)
        if found is None or not of_same_person(state, found):
            return None
        if not own_parts(found):  # a question in return, or an answer to a correction
            return await self._last(state)
        return Meant(found, word.butlers[0] if len(word.butlers) == 1 else None)

    async def _last(self, state: RequestState) -> Meant | None:
        thread = state.message.context.source_thread_identity
        async with acquire(self._pool, doing="looking for what is corrected") as connection:
            for request_id in await _wrote_last(connection, state):
                found = await load_request(connection, request_id)
                if found is None or not of_same_person(state, found):
                    continue
                if own_parts(found):
                    return Meant(found)
                if thread is None and not found.concluded:
                    return None  # nothing keeps the two in order, and this one may be meant
        return None


async def _wrote_last(connection: Connection, state: RequestState) -> list[UUID]:
    """Return the sender's recent messages in the same conversation, or in none at the same endpoint, newest first."""
    context = state.message.context
    thread = context.source_thread_identity
    rows = await connection.fetch(
        _SQL["wrote_last" if thread is not None else "wrote_last_unthreaded"],
        context.source_endpoint_identity,
        *([thread] if thread is not None else []),
        context.received_at,
        state.request_id,
        context.received_at - FOLLOWED,
        context.source_sender_identity,
        _MOST,
    )
    return [row["request_id"] for row in rows]
