"""Reads a mailbox's past in small pieces, oldest first, on a connection of its own (D16, D34).

Invariant: live reading keeps its own connection and thread; what it has not passed yet is never touched here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from butler_connectors.base.backfill import Piece
from butler_connectors.base.orders import Order
from butler_connectors.base.status import Status
from butler_connectors.imap.past import Past, Window, begin, in_range, search_days, window
from butler_connectors.imap.position import Position
from butler_connectors.imap.reading import MailReading
from butler_connectors.imap.session_thread import SessionThread
from butler_kit.faults import points, reached_async
from butler_kit.mail.normalize import MailSource
from butler_kit.mail.session import ImapSession, MailFault
from butler_kit.sources.events import SourceEvent
from butler_kit.time import Clock

__all__ = ["MailHistory"]

READ_S: Final = 15.0
"""Mails not read by then wait for the next piece, so that Switchboard hears of the job in time."""
_NOT_READ_YET: Final = "the mailbox was not read yet; history begins where live reading has passed"


class MailHistory:
    """`next` opens the connection if necessary; `close` ends it."""

    def __init__(
        self,
        *,
        new_session: Callable[[], ImapSession],
        source: MailSource,
        status: Status,
        passed: Callable[[], Position | None],
        clock: Clock,
    ) -> None:
        self._new_session = new_session
        self._passed = passed
        self._clock = clock
        self._thread = SessionThread("imap-history")
        self._reading = MailReading(source, status, self._thread)
        self._session: ImapSession | None = None
        self._uid_validity = 0

    async def next(self, order: Order, cursor: str | None, *, at_most: int, stopping: asyncio.Event) -> Piece:
        """Return the next mails of the order's days; raises `MailFault`, `Stopping`."""
        passed = self._passed()
        if passed is None:
            raise MailFault(_NOT_READ_YET, kind="not_ready")
        session = await self._open(stopping)
        if self._uid_validity != passed.uid_validity:
            raise MailFault("the mailbox was made anew; it is opened again", kind="uid_validity")
        past = begin(cursor, passed.uid_validity)
        looked = window(past, passed_uid=passed.uid)
        if looked is None:
            return Piece((), past.cursor, last=True)
        found = await self._search(session, order, looked, stopping)
        chosen = found[:at_most]
        events, read_to = await self._read(session, order, chosen, stopping)
        whole = len(found) <= at_most and (not chosen or read_to == chosen[-1])
        end = looked.until if whole else read_to
        if events:
            await reached_async(points.CONNECTOR_FETCHED, "email")
        return Piece(events, Past(passed.uid_validity, end).cursor, last=looked.last and end == looked.until)

    def close(self) -> None:
        """Close the connection to the server."""
        session, self._session = self._session, None
        if session is not None:
            session.abort()
            session.close()

    async def _open(self, stopping: asyncio.Event) -> ImapSession:
        if self._session is None:
            session = self._new_session()
            self._session = session
            selected = await self._thread.run(session, session.open, stopping)
            self._uid_validity = selected.uid_validity
        return self._session

    async def _search(
        self, session: ImapSession, order: Order, looked: Window, stopping: asyncio.Event
    ) -> list[int]:
        since, before = search_days(order.params)
        return await self._thread.run(
            session,
            lambda: session.search_between(looked.first, looked.until, since=since, before=before),
            stopping,
        )

    async def _read(
        self, session: ImapSession, order: Order, uids: Sequence[int], stopping: asyncio.Event
    ) -> tuple[tuple[SourceEvent, ...], int]:
        """Return the mails as events, and the UID up to which they were read: a slow server gives fewer at a time.

        Mails in the margin of the search are left out.
        """
        if not uids:
            return (), 0
        events: list[SourceEvent] = []
        started = self._clock.monotonic()
        for mail in await self._thread.run(session, lambda: session.sizes(uids), stopping):
            if in_range(order.params, mail.internal_date):
                read = await self._reading.one(session, mail, self._uid_validity, stopping, beside=uids)
                cursor = Past(self._uid_validity, mail.uid).cursor
                events.append(SourceEvent(read.event_id, cursor, read.thread, read.content))
            if self._clock.monotonic() - started > READ_S:
                return tuple(events), mail.uid
        return tuple(events), uids[-1]
