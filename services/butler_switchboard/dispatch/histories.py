"""Reads what was said before in the thread of a message, for a model that routes it (SWB-03.8, SWB-03.9).

Invariants: one thread of one endpoint, and only what came before the message; the amount read and the time it takes
are bounded, and a message whose history is not available in time is routed without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

import asyncpg
import structlog

from butler_contracts.context import RequestContext
from butler_contracts.errors import ButlerError, TimedOut
from butler_contracts.ingest import SourceChannel
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.runtime.history import (
    MOST_BYTES,
    MOST_LINES,
    NO_HISTORY,
    Bounds,
    Earlier,
    History,
    history_of,
)
from butler_kit.runtime.tokens import TokenCounter
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.ingress.senders import ContactBook
from butler_switchboard.routing.quotes import without_repeats

__all__ = ["Histories", "earlier_of"]

_log = structlog.get_logger(__name__)

_SQL: Final = NamedQueries("butler_switchboard", "sql/dispatch.sql")["thread_before"]
_CHATS: Final = frozenset({SourceChannel.TELEGRAM, SourceChannel.SLACK})
"""Channels where everybody in a thread reads what is said and answered there."""
_READ_S: Final = 2.0
"""More than a busy database needs, but little compared with a model's answer."""


class Household(Protocol):
    async def book(self) -> ContactBook: ...


class Histories:
    """Reads the last messages of chats and other threads, and the chain of a mail; nothing for a backfilled message.

    `wanted` tells whether a model reads it now.
    """

    def __init__(
        self,
        pool: Pool,
        household: Household,
        bounds: Bounds,
        counter: Callable[[], TokenCounter],
        *,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._pool = pool
        self._household = household
        self._bounds = bounds
        self._counter = counter
        self._wanted = wanted

    async def before(self, state: RequestState) -> History:
        """Return what a model is told of the thread; empty also if it cannot be read in time."""
        if not self._wanted():
            return NO_HISTORY
        if state.message.context.source_thread_identity is None or state.message.backfill_job_id is not None:
            return NO_HISTORY
        try:
            async with asyncio.timeout(_READ_S):
                rows = await self._rows(state)
                book = await self._book() if rows else None
        except (TimeoutError, TimedOut):
            _log.warning("history_left_out", why=f"it could not be read within {_READ_S:g} s")
            return NO_HISTORY
        if not rows:
            return NO_HISTORY
        earlier = earlier_of(rows, state.message.context, book)
        return await asyncio.to_thread(self._given, earlier, mail=_is_mail(state))

    def _given(self, earlier: Sequence[Earlier], *, mail: bool) -> History:
        return history_of(
            without_repeats(earlier) if mail else earlier,
            most_tokens=self._bounds.tokens,
            counter=self._counter(),
            most_bytes=None if mail else MOST_BYTES,
        )

    async def _rows(self, state: RequestState) -> list[asyncpg.Record]:
        context, bounds = state.message.context, self._bounds
        most = bounds.tokens * self._counter().most_bytes
        messages, since = (
            (MOST_LINES, context.received_at)
            if _is_mail(state)
            else (bounds.messages, context.received_at - timedelta(minutes=bounds.minutes))
        )
        async with acquire(self._pool, doing="reading a thread") as connection:
            rows: list[asyncpg.Record] = await connection.fetch(
                _SQL,
                context.source_endpoint_identity,
                context.source_thread_identity,
                context.received_at,
                state.request_id,
                MOST_LINES,
                messages,
                since,
                most if _is_mail(state) else min(most, MOST_BYTES),
            )
        return rows

    async def _book(self) -> ContactBook | None:
        try:
            return await self._household.book()
        except ButlerError:
            return None


def _is_mail(state: RequestState) -> bool:
    return state.message.context.source_channel is SourceChannel.EMAIL


def earlier_of(
    rows: Sequence[asyncpg.Record], context: RequestContext, book: ContactBook | None
) -> tuple[Earlier, ...]:
    """Return the earlier messages in rows, without former versions of the message itself or speakers' addresses.

    If the message itself names its thread, as a mail does, what another member said or was answered is left out.
    """
    speakers = _Speakers(context, book)
    oldest_first = (
        Earlier(
            speaker=speakers.of(row["source_sender_identity"], row["sender_class"]),
            said=row["text"],
            answered=row["answer"],
            ago=None if row["from_past"] else _ago(context, row["received_at"]),
            message=row["external_message_id"],
            household=row["sender_class"] == "household",
        )
        for row in reversed(rows)
        if (
            row["external_message_id"] is None
            or row["external_message_id"] != context.source_message_identity
        )
        and _may_read(row, context, book)
    )
    return tuple(reversed(tuple(oldest_first)))


def _may_read(row: asyncpg.Record, context: RequestContext, book: ContactBook | None) -> bool:
    """Return whether the writer could read it: all of a chat, elsewhere no other member's words (D68)."""
    if context.source_channel in _CHATS or row["sender_class"] != "household":
        return True
    own, other = context.source_sender_identity, str(row["source_sender_identity"])
    if own.lower() == other.lower() or book is None:
        return own.lower() == other.lower()
    channel = context.source_channel.value
    known = book.name_of(channel, own)
    return known is not None and known == book.name_of(channel, other)


def _ago(context: RequestContext, received_at: datetime) -> timedelta:
    return context.received_at - received_at


class _Speakers:
    """Speakers by their household names; others get numbers, so that nobody can choose to be called Ada."""

    def __init__(self, context: RequestContext, book: ContactBook | None) -> None:
        self._channel = context.source_channel.value
        self._book = book
        self._named: dict[tuple[str, str], str] = {
            (context.source_sender_identity, context.sender_class): "writer"
        }

    def of(self, identity: str, sender_class: str) -> str:
        key = (identity, sender_class)
        if key not in self._named:
            self._named[key] = self._name(identity, sender_class)
        return self._named[key]

    def _name(self, identity: str, sender_class: str) -> str:
        if sender_class != "household":
            return f"outsider {sum(one[1] != 'household' for one in self._named) + 1}"
        name = self._book.name_of(self._channel, identity) if self._book is not None else None
        return name or f"member {sum(one[1] == 'household' for one in self._named) + 1}"
