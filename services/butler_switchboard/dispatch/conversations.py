"""Finds who spoke in a conversation, for a message that points back or names what was told (SWB-03.4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from butler_kit.db import NamedQueries, Pool, acquire
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.rules.conversation import FOLLOWED, may_answer, may_follow
from butler_switchboard.routing.rules.holding import MOST_TOLD, TOLD, looks_back
from butler_switchboard.routing.rules.somebody import speaks_of_somebody

__all__ = ["Conversations"]

_SPOKE_LAST = NamedQueries("butler_switchboard", "sql/dispatch.sql")["spoke_last"]
_LATELY: Final = 20
"""How many parts of a conversation are searched for the last answer."""
_AT_ONCE: Final = timedelta(0)


class Conversations:
    """The butlers' answers by chat; a message without a chat has no conversation."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def around(self, message: RoutingMessage, state: RequestState) -> RoutingMessage:
        """Return the message with who answered, or was told something, before it, as far as it may matter."""
        points_back = may_follow(message)
        if points_back or may_answer(message) or speaks_of_somebody(message):
            message = replace(message, spoke=await self._spoken(state, since=FOLLOWED, most=_LATELY))
        if not points_back and looks_back(message):
            message = replace(message, told=await self._spoken(state, since=TOLD, most=MOST_TOLD))
        return message

    async def _spoken(self, state: RequestState, *, since: timedelta, most: int) -> tuple[Spoken, ...]:
        """Return who answered in its conversation, the latest first."""
        context = state.message.context
        if context.source_thread_identity is None:
            return ()
        async with acquire(self._pool, doing="looking who spoke before") as connection:
            rows = await connection.fetch(
                _SPOKE_LAST,
                context.source_thread_identity,
                context.source_endpoint_identity,
                state.request_id,
                context.received_at - since,
                most,
                context.source_sender_identity,
            )
        return tuple(
            Spoken(
                row["target_butler"],
                max(context.received_at - row["finished_at"], _AT_ONCE),
                row["to_text"],
                str(row["request_id"]),
                row["asks"],
            )
            for row in rows
        )
