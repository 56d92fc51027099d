"""Reads a mailbox: finds its place, takes new mail in UID order, waits by IDLE or polls (CNX-01.1, CNX-07, D16).

Invariant: the position moves only past settled mails; a failing connection costs a reconnect, never a mail.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from butler_connectors.base.backoff import backoff_s
from butler_connectors.base.checkpoint import Checkpoints, CheckpointUnreadable
from butler_connectors.base.flow import Flow
from butler_connectors.base.runner import Runner
from butler_connectors.base.start import Start
from butler_connectors.base.status import Status
from butler_connectors.base.waiting import Stopping, pause
from butler_connectors.imap.position import Position, parse_position, position_after_change, starting_position
from butler_connectors.imap.reading import MailReading
from butler_connectors.imap.session_thread import SessionThread
from butler_kit.faults import points, reached_async
from butler_kit.mail.normalize import MailSource
from butler_kit.mail.session import ImapSession, MailFault, Selected
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock

__all__ = ["MailboxReader"]

BATCH: Final = 20
_IDLE_MAX_S: Final = 240.0
_IDLE_FIRST_S: Final = 1.0
"""Some servers report a mail that arrives between search and IDLE only when IDLE ends; waits then double."""
_LOOK_S: Final = 5.0
"""How often new mail is looked for while something waits for Switchboard."""
_BLOCKED_S: Final = 300.0
_PART: Final = "mailbox"
_log = get_logger(__name__)


class MailboxReader:
    """The source: `run` until asked to stop."""

    def __init__(
        self,
        *,
        new_session: Callable[[], ImapSession],
        runner: Runner,
        checkpoints: Checkpoints,
        source: MailSource,
        start: Start,
        status: Status,
        poll_interval_s: float,
        clock: Clock,
        draw: Callable[[], float],
    ) -> None:
        self._new_session = new_session
        self._runner = runner
        self._checkpoints = checkpoints
        self._start = start
        self._status = status
        self._poll_interval_s = poll_interval_s
        self._clock = clock
        self._draw = draw
        self._thread = SessionThread("imap")
        self._reading = MailReading(source, status, self._thread)
        self._failures = 0
        self.passed: Position | None = None
        """The position up to which everything is settled; mails before it are history."""
        self.quiet = asyncio.Event()
        """Set while there is nothing new to take."""

    async def run(self, stopping: asyncio.Event) -> None:
        """Read on one connection after the other."""
        try:
            while True:
                session = self._new_session()
                try:
                    await self._read(session, stopping)
                except MailFault as fault:
                    await pause(stopping, self._note_fault(fault))
                finally:
                    session.abort()
                    session.close()
        except Stopping:
            return

    async def _read(self, session: ImapSession, stopping: asyncio.Event) -> None:
        selected = await self._thread.run(session, session.open, stopping)
        self.quiet.clear()
        position = await self._position(session, selected, stopping)
        self._status.positioned = True
        # Events still open when the connection ends are read again by the next one.
        async with self._runner.flow() as flow:
            wait_s = _IDLE_FIRST_S
            while True:
                position = await self._take_new(session, flow, position, stopping)
                self._failures = 0
                self._status.source_works(_PART)
                await flow.moved(stopping, at_most_s=_LOOK_S)
                if not flow.idle:
                    continue  # something waits for Switchboard: new mail may pass all the same
                # A rescan has looked at all of it: the mails it left out lie before its floor.
                self.passed = position.at(position.rescan_to)
                self.quiet.set()
                if not session.can_idle:
                    await pause(stopping, self._poll_interval_s)
                    continue
                news = await self._thread.run(session, partial(session.wait_for_news, wait_s), stopping)
                wait_s = _IDLE_FIRST_S if news else min(wait_s * 2, self._poll_interval_s, _IDLE_MAX_S)

    async def _position(self, session: ImapSession, selected: Selected, stopping: asyncio.Event) -> Position:
        before, readable = await self._load(stopping)
        if before is not None and before.uid_validity == selected.uid_validity:
            return before
        if before is None and readable:
            uids: Sequence[int] = ()
            if self._start.last:
                uids = await self._thread.run(session, lambda: session.search(1, since=None), stopping)
            position = starting_position(
                self._start, uid_validity=selected.uid_validity, uid_next=selected.uid_next, uids=uids
            )
        else:
            position = position_after_change(
                before, uid_validity=selected.uid_validity, uid_next=selected.uid_next, now=self._clock.now()
            )
            _log.warning(
                "the mailbox is read anew", since=str(position.floor), uid_validity=selected.uid_validity
            )
        await self._runner.save(position.cursor, stopping)
        return position

    async def _load(self, stopping: asyncio.Event) -> tuple[Position | None, bool]:
        """Return the saved position, and whether the checkpoint could be read (or is not there yet)."""
        try:
            saved = self._checkpoints.current or await self._runner.keeping.until_done(
                "checkpoint", self._checkpoints.load, stopping
            )
            return (None if saved is None else parse_position(saved.cursor)), True
        except (CheckpointUnreadable, ValueError) as error:
            aside = await self._runner.keeping.until_done("checkpoint", self._checkpoints.set_aside, stopping)
            _log.error("the checkpoint is not usable", reason=str(error), kept_as=aside)
            return None, False

    async def _take_new(
        self, session: ImapSession, flow: Flow, position: Position, stopping: asyncio.Event
    ) -> Position:
        """Take everything new, in batches; return the position up to which it was taken."""
        found = await self._thread.run(session, partial(_new_uids, session, position), stopping)
        if found:
            self.quiet.clear()
        for index in range(0, len(found), BATCH):
            batch = found[index : index + BATCH]
            events = await self._reading.events(session, position, batch, stopping)
            await reached_async(points.CONNECTOR_FETCHED, "email")
            flow.take(events)
            position = position.at(batch[-1])
            await flow.room(BATCH, stopping)
        return position

    def _note_fault(self, fault: MailFault) -> float:
        self._failures += 1
        self._status.source_failed(_PART, "error" if fault.blocked else "degraded", fault)
        failures = self._failures + 5 if fault.blocked else self._failures
        delay_s = backoff_s(failures, self._draw(), last_s=_BLOCKED_S if fault.blocked else 60.0)
        _log.warning(
            "the mailbox could not be read", reason=fault.kind, detail=str(fault), next_try_s=round(delay_s)
        )
        return delay_s


def _new_uids(session: ImapSession, position: Position) -> list[int]:
    """Return what may be wanted; only in a rescan by date, for a mail that is moved here later may be an old one."""
    if position.floor is None or position.uid >= position.rescan_to:
        return session.search(position.uid + 1, since=None)
    # The server compares dates without a zone: a day of margin on each side.
    since = (position.floor - timedelta(days=2)).date()
    return [
        *session.search(position.uid + 1, since=since, last_uid=position.rescan_to),
        *session.search(position.rescan_to + 1, since=None),
    ]
