"""The work of the inbox tools: search, read, and route incoming mail (MSG-5, D47, ADR 0088).

Invariants: the mailbox is never changed; everything is bounded; a mail enters with the identity and normalisation of
the mailbox's connector, so it is one request, whichever of the two submits it first.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import structlog

from butler_contracts.errors import NotFound, ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.mail.normalize import MailSource, NormalisedMail
from butler_kit.mail.read import normalise_safely
from butler_kit.mail.searching import Wanted
from butler_kit.mail.session import ImapSession, MailSize
from butler_kit.mcp import ToolCalls
from butler_kit.sources.events import Malformed
from butler_kit.time import Clock
from butler_messenger.inbox.handing import handed_over
from butler_messenger.inbox.mailbox import Mailbox, OpenMailbox
from butler_messenger.inbox.questions import RESULTS_MAX, ReadQuestion, RouteQuestion, SearchQuestion
from butler_messenger.inbox.views import found_view, read_view, reference

__all__ = ["InboxDesk"]

_log = structlog.get_logger(__name__)

ROUTING_S: Final = 12.0
"""After this time no further mail is started; the answer then says where to continue."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True)
class InboxDesk:
    """One mailbox, and the Switchboard to which its mails go."""

    mailbox: Mailbox
    source: MailSource
    switchboard: ToolCalls
    clock: Clock

    async def search(self, asked: SearchQuestion) -> dict[str, Any]:
        """Return the mails that have the words, newest first; `next` continues where this list ends."""
        since = (self.clock.now() - timedelta(days=asked.within_days)).date()
        wanted = Wanted(since, text=asked.text, sender=asked.sender, subject=asked.subject)
        async with self.mailbox.opened() as box:
            uids = list(reversed(await box.run(lambda session: session.matching(wanted))))
            if asked.before is not None:
                _, before = box.place(asked.before)
                uids = [uid for uid in uids if uid < before]
            chosen = uids[: asked.limit]
            messages = await _described(box, chosen) if chosen else []
        more = reference(box.uid_validity, chosen[-1]) if len(uids) > len(chosen) else None
        return {"messages": messages, "next": more}

    async def read(self, asked: ReadQuestion) -> dict[str, Any]:
        """Return one mail. Raises `NotFound` if it is gone, `ValidationFailed` if it cannot be read."""
        async with self.mailbox.opened() as box:
            _, uid = box.place(asked.message)
            mail = next(iter(await box.run(lambda session: session.sizes([uid]))), None)
            read = await self._read(box, mail) if mail is not None else None
        if mail is None or read is None:
            raise NotFound("that mail is not in the mailbox any more; search again")
        return read_view(
            mail,
            _readable(read),
            uid_validity=box.uid_validity,
            max_chars=asked.max_chars,
            boundary=secrets.token_hex(16),
        )

    async def check_and_route(self, asked: RouteQuestion) -> dict[str, Any]:
        """Submit the arrived mails to Switchboard, oldest first; `next` continues where this call ended.

        However long the mailbox takes to open, one mail is looked at, so that the next call gets further.
        """
        begun = self.clock.monotonic()
        floor = self.clock.now() - timedelta(hours=asked.within_hours)
        handed: list[dict[str, Any]] = []
        last: str | None = asked.after
        more = False
        async with self.mailbox.opened() as box:
            async for mail in _arrived(box, floor, asked.after):
                late = self.clock.monotonic() - begun > ROUTING_S and last != asked.after
                if len(handed) == asked.limit or late:
                    more = True
                    break
                read = await self._read(box, mail)
                last = reference(box.uid_validity, mail.uid)
                if read is not None:
                    handed.append({"message": last, **await handed_over(self.switchboard, read)})
        counts = {kind: sum(one["status"] == kind for one in handed) for kind in ("accepted", "duplicate")}
        _log.info("inbox_routed", looked_at=len(handed), **counts)
        return {"looked_at": len(handed), **counts, "messages": handed, "next": last if more else None}

    async def _read(self, box: OpenMailbox, mail: MailSize) -> NormalisedMail | None:
        """Return the mail as its connector would submit it; None if it was removed meanwhile."""

        def fetch_and_normalise(session: ImapSession) -> NormalisedMail | None:
            fetched = session.fetch(mail, uid_validity=box.uid_validity)
            return None if fetched is None else normalise_safely(fetched, self.source)

        return await box.run(fetch_and_normalise)


async def _described(box: OpenMailbox, uids: Sequence[int]) -> list[dict[str, Any]]:
    sizes = {mail.uid: mail for mail in await box.run(lambda session: session.sizes(uids))}
    headers = await box.run(lambda session: session.headers(uids))
    boundary = secrets.token_hex(16)
    return [
        found_view(sizes[uid], headers[uid], uid_validity=box.uid_validity, boundary=boundary)
        for uid in uids
        if uid in sizes and uid in headers
    ]


async def _arrived(box: OpenMailbox, floor: datetime, after: str | None) -> AsyncIterator[MailSize]:
    """Yield the mails that arrived since `floor`, in mailbox order."""
    first = box.place(after)[1] + 1 if after is not None else 1
    # The server compares days in its own time zone.
    wanted = Wanted((floor - _DAY).date())
    found = [uid for uid in await box.run(lambda session: session.matching(wanted)) if uid >= first]
    for index in range(0, len(found), RESULTS_MAX):
        some = found[index : index + RESULTS_MAX]
        for mail in await box.run(partial(ImapSession.sizes, uids=some)):
            if mail.internal_date >= floor:
                yield mail


def _readable(mail: NormalisedMail) -> IngestEnvelopeV1:
    if isinstance(mail.content, IngestEnvelopeV1):
        return mail.content
    why = mail.content.message if isinstance(mail.content, Malformed) else mail.content.reason
    raise ValidationFailed(f"the mail cannot be read: {why[:200]}")
