"""Finds who spoke in a conversation, for a message that points back or names what was told (SWB-03.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from butler_kit.db import NamedQueries, Pool, acquire
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.routing.message import Spoken
from butler_switchboard.routing.rules.conversation import FOLLOWED
from butler_switchboard.routing.rules.holding import MOST_TOLD, TOLD

__all__ = ["Conversations"]

_SPOKE_LAST = NamedQueries("butler_switchboard", "sql/dispatch.sql")["spoke_last"]
_LATELY: Final = 20
"""How many parts of a conversation are searched for the last answer."""
_AT_ONCE: Final = timedelta(0)


class Conversations:
    """The butlers' answers by chat; a message without a chat has no conversation."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def before(self, state: RequestState) -> tuple[Spoken, ...]:
        """Return who answered recently in its conversation, the latest first."""
        return await self._spoken(state, since=FOLLOWED, most=_LATELY)

    async def told(self, state: RequestState) -> tuple[Spoken, ...]:
        """Return who was told something in its conversation, the latest first."""
        return await self._spoken(state, since=TOLD, most=MOST_TOLD)

    async def _spoken(self, state: RequestState, *, since: timedelta, most: int) -> tuple[Spoken, ...]:
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
            )
        return tuple(
            Spoken(
                row["target_butler"],
                max(context.received_at - row["finished_at"], _AT_ONCE),
                row["to_text"],
                str(row["request_id"]),
            )
            for row in rows
        )
