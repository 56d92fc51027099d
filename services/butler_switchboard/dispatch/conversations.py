"""Who spoke last in the conversation of a message, for one that only points back (SWB-03.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from butler_kit.db import NamedQueries, Pool, acquire
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.routing.message import Spoken
from butler_switchboard.routing.rules.conversation import FOLLOWED

__all__ = ["Conversations"]

_SPOKE_LAST = NamedQueries("butler_switchboard", "sql/dispatch.sql")["spoke_last"]
_AT_ONCE: Final = timedelta(0)


class Conversations:
    """The butlers' answers by chat; a message without a chat has no conversation."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def before(self, state: RequestState) -> tuple[Spoken, ...]:
        """Who answered in its conversation, the latest first."""
        context = state.message.context
        if context.source_thread_identity is None:
            return ()
        since = context.received_at - FOLLOWED
        async with acquire(self._pool, doing="looking who spoke last") as connection:
            rows = await connection.fetch(
                _SPOKE_LAST,
                context.source_thread_identity,
                context.source_endpoint_identity,
                state.request_id,
                since,
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
