"""The household's example messages as prompts of a specialist, and specialists over records in memory."""

from __future__ import annotations

import email
import email.policy
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from inscriptis import get_text

from butler_contracts.quiet_hours import QuietHours
from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import Asker, Record, RecordDraft, Reminder, ReminderDraft, ReminderStop
from butler_specialist.store.visibility import Viewer
from butler_specialist.understanding.household import Whose
from tests.support.memory_records import matching, sees
from tests.support.messages import ExampleMessage

BERLIN = ZoneInfo("Europe/Berlin")
CHANNEL = "telegram"
_POSTS_BEGIN = datetime(2026, 11, 20, 17, 0, tzinfo=UTC)
_PART_OF_TWO = {
    ("mail-two-domains", "finance"): 1,
    ("mail-two-domains", "health"): 2,
    ("telegram-hotel-and-friend", "travel"): 0,
    ("telegram-hotel-and-friend", "relationship"): 1,
}
"""Which paragraph the router sends to which butler."""


@dataclass
class MemoryRecords:
    """A `RecordReader` over a list: the same order and bounds as the SQL."""

    rows: list[Record] = field(default_factory=list)

    def add(self, drafts: Sequence[RecordDraft], *, sender: str, household: bool = True) -> None:
        for draft in drafts:
            values = {item.name: getattr(draft, item.name) for item in fields(RecordDraft)}
            sender_class = "household" if household else "other"
            seq = len(self.rows) + 1
            kept = Record(**values, seq=seq, channel=CHANNEL, sender=sender, sender_class=sender_class)
            self.rows.append(kept)

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
        viewer: Viewer | None = None,
    ) -> Sequence[Record]:
        rows = [row for row in self.rows if viewer is None or sees(viewer, row)]
        return matching(rows, kinds, start=start, end=end, all_senders=all_senders)


@dataclass
class MemoryReminders:
    """A `ReminderReader` over a list: those of one person, the next first."""

    rows: list[tuple[Asker, Reminder]] = field(default_factory=list)
    stopped: list[tuple[Asker, UUID, Reminder]] = field(default_factory=list)

    def keep(
        self, asker: Asker, request: UUID, drafts: Sequence[ReminderDraft], stops: Sequence[ReminderStop]
    ) -> None:
        stopped = {stop.reminder_id for stop in stops}
        self.stopped += [
            (asker, request, row[1]) for row in self.rows if row[0] == asker and row[1].reminder_id in stopped
        ]
        self.rows = [row for row in self.rows if row[0] != asker or row[1].reminder_id not in stopped]
        self.rows += [
            (
                asker,
                Reminder(
                    uuid4(), request, one.text, one.due_at, one.zone, one.rule, one.grace, "waiting", one.source,
                    one.language, can_wait=one.can_wait,
                ),
            )
            for one in drafts
        ]  # fmt: skip

    async def find_stopped(self, person: Asker, request_id: UUID) -> Sequence[Reminder]:
        return [one for asker, by, one in self.stopped if (asker, by) == (person, request_id)]

    async def find_reminders(self, person: Asker) -> Sequence[Reminder]:
        return sorted((one for asker, one in self.rows if asker == person), key=lambda one: one.due_at)


@dataclass
class MemoryConversation:
    """What one person was answered, the newest first."""

    turns: list[Earlier] = field(default_factory=list)

    async def earlier(self) -> Sequence[Earlier]:
        return tuple(reversed(self.turns))

    async def records(self, ids: Collection[UUID]) -> Sequence[Record]:
        return ()


class Butlers:
    """All five specialists, each with its own records; the household has `currency` or none.

    Its members are `reachable` for reminders or not.
    """

    def __init__(
        self, *, currency: str = "", reachable: bool = False, quiet: QuietHours | None = None
    ) -> None:
        self._currency = currency
        self._reachable = reachable
        self._quiet = quiet
        self.reminders = {name: MemoryReminders() for name in PROFILES}
        self.conversations: dict[tuple[str, str], MemoryConversation] = defaultdict(MemoryConversation)
        self.records = {name: MemoryRecords() for name in PROFILES}
        self._profiles = {name: load_profile(name) for name in PROFILES}

    async def tell(
        self, butler: str, prompt: str, moment: datetime, *, sender: str = "1001", household: bool = True
    ) -> Reply:
        """What the specialist keeps and says; its records grow."""
        records = self.records[butler]
        whose = Whose.of(None, None, CHANNEL, sender)
        asker, reminders = Asker(None, CHANNEL, sender), self.reminders[butler]
        answering = Answering(
            moment.astimezone(BERLIN),
            household,
            records,
            whose,
            self._currency,
            conversation=self.conversations[butler, sender],
            reminders=reminders,
            asker=asker,
            reachable=self._reachable and household,
            quiet=self._quiet,
        )
        reply = await self._profiles[butler].respond(prompt, answering)
        records.add(reply.records, sender=sender, household=household)
        request = uuid4()
        reminders.keep(asker, request, reply.reminders, reply.reminder_stops)
        turn = Earlier(request, moment, question=reply.question)
        self.conversations[butler, sender].turns.append(turn)
        return reply


def prompt_of(message: ExampleMessage, butler: str) -> str:
    """The text that reaches `butler`: the message's own, or its paragraph of it."""
    text = _TEXTS[message.channel](message)
    part = _PART_OF_TWO.get((message.id, butler))
    return text if part is None else re.split(r"\r?\n\r?\n", text.strip())[part]


def moment_of(message: ExampleMessage, position: int) -> datetime:
    """When the message came."""
    if message.channel == "email":
        return parsedate_to_datetime(_mail(message)["Date"])
    if message.channel == "telegram":
        return datetime.fromtimestamp(_content(message)["date"], UTC)
    return _POSTS_BEGIN + timedelta(minutes=position)


def _mail(message: ExampleMessage) -> Any:
    return email.message_from_bytes(message.raw, policy=email.policy.default)


def _mail_text(message: ExampleMessage) -> str:
    """The subject above the body, as the connector writes it."""
    body = _mail(message).get_body(("plain", "html"))
    text: str = body.get_content()
    own = get_text(text) if body.get_content_subtype() == "html" else text
    return f"Subject: {_mail(message)['Subject']}\n\n{own.strip()}"


def _content(message: ExampleMessage) -> dict[str, Any]:
    return next(value for key, value in message.document.items() if key != "update_id")


def _update_text(message: ExampleMessage) -> str:
    content = _content(message)
    kind = next((name for name in ("sticker", "voice", "photo") if name in content), "message")
    return str(content.get("text") or content.get("caption") or f"[{kind}]")


def _post_text(message: ExampleMessage) -> str:
    return str(message.document["body"]["text"])


_TEXTS = {"email": _mail_text, "telegram": _update_text, "api": _post_text}
