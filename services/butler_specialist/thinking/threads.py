"""Reads the earlier messages of a thread to this butler, for a model (ADR 0087, D24, D25, D68).

Invariants: only what the household said to this butler in that very thread, and only to those who could read it
there: in a chat everybody, in a mail or over HTTP the sender alone. The amount read and the time it takes are
bounded; a message whose history is not available in time is worked on without.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import asyncpg

from butler_contracts.errors import TimedOut
from butler_contracts.ingest import SourceChannel
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.runtime.budget import Terms
from butler_kit.runtime.history import MOST_LINES, NO_HISTORY, Bounds, Earlier, History, history_of
from butler_kit.runtime.tokens import BY_BYTES
from butler_kit.telemetry import get_logger
from butler_specialist.accept.validate import thread_key
from butler_specialist.store.model import RoutedWork
from butler_specialist.understanding.household import Whose

__all__ = ["MOST_OF_A_CHAT", "MOST_OF_A_MAIL", "Threads", "share_of"]

_log = get_logger(__name__)

MOST_OF_A_CHAT: Final = 12_000
MOST_OF_A_MAIL: Final = 24_000
"""The most UTF-8 bytes of a thread that a session reads, whatever its settings: each message asks a model."""
_SQL: Final = NamedQueries("butler_specialist.sql", "conversation.sql")["thread_before"]
_READ_S: Final = 2.0
_CHATS: Final = frozenset({SourceChannel.TELEGRAM, SourceChannel.SLACK})
"""Channels where everybody in the thread reads what is said and answered.

A mail names its chain itself, and an answer goes to its sender alone; over HTTP the caller names the thread.
"""


def share_of(terms: Terms) -> int | None:
    """Return the UTF-8 bytes of a thread that a session's budget allows: a quarter, one byte per token (pure).

    None if no budget limits it. The history must not keep its message from being worked on.
    """
    session, price = terms.session, terms.price
    paid = session.microcents // price.input if session.microcents is not None and price.input else None
    known = [tokens for tokens in (session.tokens, paid) if tokens is not None]
    return min(known) // 4 if known else None


class Threads:
    """Reads a chat's last messages or a mail's chain, within `bounds` and `most`, if a model is used now."""

    def __init__(
        self,
        pool: Pool,
        bounds: Bounds,
        *,
        most: int | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._pool = pool
        self._bounds = bounds
        self._wanted = wanted
        self._most = MOST_OF_A_MAIL if most is None else most

    async def before(self, work: RoutedWork) -> History:
        """Return the history for a model: only this thread's, and none for those outside the household."""
        context, thread = work.envelope.request_context, thread_key(work.envelope)
        if (
            not self._wanted()
            or thread is None
            or context.sender_class != "household"
            or not self._bounds.tokens
        ):
            return NO_HISTORY
        whose = Whose.of(
            work.people, work.contact_id, context.source_channel.value, context.source_sender_identity
        )
        most = min(self._most, MOST_OF_A_MAIL if _is_mail(work) else MOST_OF_A_CHAT)
        try:
            async with asyncio.timeout(_READ_S):
                rows = await self._rows(work, thread, whose.me, most)
        except (TimeoutError, TimedOut):
            _log.warning("history_left_out", why=f"it could not be read within {_READ_S:g} s")
            return NO_HISTORY
        earlier = _earlier(rows, whose, work.said_at)
        return history_of(earlier, most_tokens=self._bounds.tokens, counter=BY_BYTES, most_bytes=most)

    async def _rows(self, work: RoutedWork, thread: str, me: str, most: int) -> list[asyncpg.Record]:
        context, bounds = work.envelope.request_context, self._bounds
        async with acquire(self._pool, doing="reading a thread") as connection:
            rows: list[asyncpg.Record] = await connection.fetch(
                _SQL,
                thread,
                work.said_at,
                work.request_id,
                context.source_message_identity,
                None if context.source_channel in _CHATS else me,
                MOST_LINES,
                MOST_LINES if _is_mail(work) else bounds.messages,
                work.said_at - timedelta(minutes=bounds.minutes),
                most,
            )
        return rows


def _is_mail(work: RoutedWork) -> bool:
    return work.envelope.request_context.source_channel is SourceChannel.EMAIL


def _earlier(rows: Sequence[asyncpg.Record], whose: Whose, said_at: datetime) -> tuple[Earlier, ...]:
    """Return the rows, newest first; a speaker is `writer`, or has the household's name for them."""
    speakers = {whose.me: "writer"}
    for row in reversed(rows):
        known = whose.names.get(row["teller"] or "")
        speakers.setdefault(row["teller"], known or f"member {len(speakers)}")
    return tuple(
        Earlier(speakers[row["teller"]], row["text"], row["answer"], said_at - row["at"], row["message"])
        for row in rows
    )
