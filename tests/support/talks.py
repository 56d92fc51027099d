"""A household in memory: the router, the five specialists with their records, and conversations by chat.

What the database and the network do in between is left out: a message is routed, each part is understood, kept and
answered, and what was said before is known to the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from butler_contracts.people import PeopleV1, PersonV1
from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.household import Whose
from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import RulesRouter
from butler_switchboard.routing.verdict import verdict
from tests.support.memory_records import matching

__all__ = ["SUNDAY", "Kept", "Said", "Talks"]

SUNDAY = datetime(2026, 11, 22, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
_ROUTER = RulesRouter()
_HOUSEHOLD = RegistryView.of(ButlerProfile(name) for name in PROFILES)
_THRESHOLD = 0.72


@dataclass
class Kept:
    """The records of one butler: the order and bounds of the SQL."""

    rows: list[Record] = field(default_factory=list)

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
    ) -> Sequence[Record]:
        return matching(self.rows, kinds, start=start, end=end, all_senders=all_senders)


@dataclass(frozen=True)
class Said:
    """What came of a message: each butler's answer, and what they kept."""

    answers: dict[str, str]
    records: tuple[Record, ...]

    @property
    def butlers(self) -> set[str]:
        return set(self.answers)

    @property
    def text(self) -> str:
        return "\n".join(self.answers.values())


@dataclass(frozen=True)
class Before:
    """What one person was answered by one butler in one chat, the newest first; a change is not done here."""

    turns: list[Earlier]
    rows: list[Record]

    async def earlier(self) -> Sequence[Earlier]:
        return self.turns

    async def records(self, ids: Collection[UUID]) -> Sequence[Record]:
        return [row for row in self.rows if row.record_id in ids]


class Talks:
    """A household with `members`; every message moves the clock by a minute."""

    def __init__(self, *members: str, currency: str = "EUR", start: datetime = SUNDAY) -> None:
        self.now = start
        self.kept = {name: Kept() for name in PROFILES}
        self._currency = currency
        self._ids: dict[str, UUID] = {name: uuid4() for name in members or ("Mara Vogel", "Tom Vogel")}
        self._people = PeopleV1(
            members=tuple(PersonV1(contact_id=contact, name=name) for name, contact in self._ids.items())
        )
        self._profiles = {name: load_profile(name) for name in PROFILES}
        self._spoke: dict[str, list[tuple[datetime, Spoken]]] = {}
        self._turns: dict[tuple[str, str], list[Earlier]] = {}

    def say(
        self,
        text: str,
        *,
        by: str = "Mara Vogel",
        chat: str = "mara",
        files: tuple[str, ...] = (),
        **about: str,
    ) -> Said:
        """Send a message, with files by name, and let everybody answer."""
        self.now += timedelta(minutes=1)
        spoke = tuple(
            Spoken(one.butler, self.now - at, one.to, one.request)
            for at, one in reversed(self._spoke.get(chat, []))
        )
        channel, subject = about.get("channel", "telegram"), about.get("subject")
        message = RoutingMessage(text, channel, subject, spoke=spoke, told=spoke)
        calls = _ROUTER.decide(message, _HOUSEHOLD).calls
        answers: dict[str, str] = {}
        kept: list[Record] = []
        for target in verdict(calls, _HOUSEHOLD, message, _THRESHOLD).targets:
            answers[target.butler], records = self._hears(target.butler, target.prompt, by, chat, files)
            kept += records
        for butler in answers:
            said = Spoken(butler, timedelta(0), text, self.now.isoformat())
            self._spoke.setdefault(chat, []).append((self.now, said))
        return Said(answers, tuple(kept))

    def _hears(
        self, butler: str, prompt: str, by: str, chat: str, files: tuple[str, ...]
    ) -> tuple[str, list[Record]]:
        turns, rows, contact = (
            self._turns.setdefault((f"{chat} {by}", butler), []),
            self.kept[butler].rows,
            self._ids[by],
        )

        whose = Whose.of(self._people, contact, "telegram", by)
        answering = Answering(
            self.now,
            True,
            self.kept[butler],
            whose,
            self._currency,
            conversation=Before(turns, rows),
            files=files,
        )
        reply = asyncio.run(self._profiles[butler].respond(prompt, answering))
        kept: list[Record] = []
        for draft in reply.records:
            values = {each.name: getattr(draft, each.name) for each in fields(RecordDraft)}
            kept.append(
                Record(
                    **values,
                    seq=len(rows) + len(kept) + 1,
                    channel="telegram",
                    contact_id=contact,
                    record_id=uuid4(),
                )
            )
        rows += kept
        turns.insert(0, Earlier(uuid4(), self.now, told=tuple(kept), question=reply.question, text=prompt))
        return reply.text, kept
