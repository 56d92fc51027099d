"""Fetches mails one by one and makes events of them; skips one that the server does not hand out (D15).

Invariant: a mail is skipped only after bounded tries, the last ones on connections that had just handed out another
mail; it is then counted, recorded with UID, mailbox and the server's words, and shown. While the server hands out
none, none is skipped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from butler_connectors.base.status import Status
from butler_connectors.imap.position import Position
from butler_connectors.imap.session_thread import SessionThread
from butler_connectors.imap.withheld import Withheld
from butler_kit.mail.normalize import MailSource, NormalisedMail
from butler_kit.mail.read import normalise_safely
from butler_kit.mail.session import ImapSession, MailFault, MailSize
from butler_kit.sources.events import Malformed, Skipped, SourceEvent

__all__ = ["MailReading"]

T = TypeVar("T")
_PART: Final = "mail"
_WITNESSES: Final = 3
_NEIGHBOURS: Final = 500


@dataclass(frozen=True)
class _Asking:
    """One question to the server about one mail, with others of its mailbox to compare it with."""

    session: ImapSession
    uid_validity: int
    uid: int
    beside: Sequence[int]
    stopping: asyncio.Event


class MailReading:
    """Reads mails of one mailbox on whichever session it is given."""

    def __init__(self, source: MailSource, status: Status, thread: SessionThread) -> None:
        self._source = source
        self._status = status
        self._thread = thread
        self._withheld = Withheld()
        self._given_up = 0
        self._one_by_one = False
        """Set while it is unknown which mail of a batch the server does not describe."""

    async def events(
        self, session: ImapSession, position: Position, uids: Sequence[int], stopping: asyncio.Event
    ) -> list[SourceEvent]:
        """Return an event for each UID, in order. Raises `MailFault`, `Stopping`."""
        validity = position.uid_validity
        sizes = await self._sizes(session, validity, uids, stopping)
        events = []
        for uid in uids:
            size = sizes.get(uid)
            if isinstance(size, MailSize) and not position.wants(uid, size.internal_date):
                read = NormalisedMail(f"uid {uid}", None, Skipped("before_start"))
            elif isinstance(size, MailSize):
                read = await self.one(session, size, validity, stopping, beside=uids)
            else:
                read = size or _removed(uid)
            events.append(SourceEvent(read.event_id, position.at(uid).cursor, read.thread, read.content))
        return events

    async def one(
        self,
        session: ImapSession,
        mail: MailSize,
        uid_validity: int,
        stopping: asyncio.Event,
        *,
        beside: Sequence[int] = (),
    ) -> NormalisedMail:
        """Return one mail; `beside` are others of the mailbox. Raises `MailFault` naming it, `Stopping`."""

        def fetch_and_normalise() -> NormalisedMail:
            fetched = session.fetch(mail, uid_validity=uid_validity)
            return _removed(mail.uid) if fetched is None else normalise_safely(fetched, self._source)

        asking = _Asking(session, uid_validity, mail.uid, beside, stopping)
        read = await self._ask(asking, fetch_and_normalise)
        if read is None:
            return self._passed(asking)
        self._withheld.forget(uid_validity, mail.uid)
        return read

    async def _sizes(
        self, session: ImapSession, uid_validity: int, uids: Sequence[int], stopping: asyncio.Event
    ) -> dict[int, MailSize | NormalisedMail]:
        """Return size and date by UID; one by one after a failed batch, to find the mail that fails."""
        if not self._one_by_one:
            try:
                described = await self._thread.run(session, partial(session.sizes, uids), stopping)
            except MailFault:
                self._one_by_one = True
                raise
            return {mail.uid: mail for mail in described}
        found: dict[int, MailSize | NormalisedMail] = {}
        for uid in uids:
            asking = _Asking(session, uid_validity, uid, uids, stopping)
            sizes = await self._ask(asking, partial(session.sizes, [uid]))
            if sizes is None:
                found[uid] = self._passed(asking)
            else:
                found.update({mail.uid: mail for mail in sizes})
        self._one_by_one = False
        return found

    async def _ask(self, asking: _Asking, work: Callable[[], T]) -> T | None:
        """Return the answer about one mail; None if it is given up. Raises `MailFault` that names it."""
        validity, uid = asking.uid_validity, asking.uid
        if self._withheld.given_up(validity, uid) is not None:
            return None
        others_pass = self._withheld.needs_comparison(validity, uid) and await self._hands_out_others(asking)
        try:
            return await self._thread.run(asking.session, work, asking.stopping)
        except MailFault as fault:
            self._withheld.note(validity, uid, str(fault), others_pass=others_pass)
            named = f"UID {uid} of {self._source.mailbox} is not handed out: {fault}"
            raise MailFault(named, kind=fault.kind) from None

    def _passed(self, asking: _Asking) -> NormalisedMail:
        """Return the event of a mail that is given up, after recording and showing it."""
        words = self._withheld.given_up(asking.uid_validity, asking.uid)
        self._withheld.forget(asking.uid_validity, asking.uid)
        self._given_up += 1
        named = f"UID {asking.uid} of {self._source.mailbox}"
        self._status.notice(
            _PART, f"{self._given_up} not handed out by the server and passed, last {named}: {words}"
        )
        event_id = f"uid {asking.uid} of {asking.uid_validity} in {self._source.mailbox}"
        return NormalisedMail(event_id, None, Malformed("not_handed_out", f"{named}: {words}"))

    async def _hands_out_others(self, asking: _Asking) -> bool:
        session, uid = asking.session, asking.uid
        first = max(1, uid - _NEIGHBOURS)
        look = partial(session.search, first, since=None, last_uid=uid - 1)
        before = await self._thread.run(session, look, asking.stopping)
        others = [*reversed(asking.beside), *reversed(before)]
        asked = [one for one in others if one != uid and not self._withheld.known(asking.uid_validity, one)]
        for other in asked[:_WITNESSES]:
            if await self._thread.run(session, partial(session.hands_out, other), asking.stopping):
                return True
        return False


def _removed(uid: int) -> NormalisedMail:
    return NormalisedMail(f"uid {uid}", None, Skipped("removed"))
