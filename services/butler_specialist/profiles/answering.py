"""The inputs of an answer: what a session knows besides the text, and the records that are looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Final, Protocol

from butler_contracts.calendar import CalendarList, CalendarPeriod
from butler_contracts.language import Language
from butler_contracts.quiet_hours import QuietHours
from butler_contracts.route import PartResultV1, TogetherV1
from butler_kit.runtime.history import NO_HISTORY, History
from butler_specialist.memory.episodes import Episode
from butler_specialist.outside.model import Hand
from butler_specialist.people.neighbours import Neighbour
from butler_specialist.store.earlier import NO_CONVERSATION, Conversation
from butler_specialist.store.former import FormerVersions
from butler_specialist.store.model import (
    Asker,
    Record,
    RecordChange,
    RecordDraft,
    RecordReader,
    ReminderReader,
)
from butler_specialist.store.visibility import ALL_HOUSEHOLD, Policy
from butler_specialist.understanding.household import NOBODY, Whose

__all__ = ["Answering", "CalendarReader", "Lookup", "SpokenReader", "as_records", "rows_of"]

_JUST_NOW: Final = 10**15
"""Above the `seq` of any record."""


def _as_it_is(change: RecordChange) -> RecordChange:
    return change


class CalendarReader(Protocol):
    """The household's calendar; raises `ButlerError` while it is unavailable."""

    async def list(self, period: CalendarPeriod) -> CalendarList: ...


class SpokenReader(Protocol):
    """What the sender spoke of."""

    async def between(self, start: datetime | None, end: datetime | None) -> Sequence[Episode]: ...


@dataclass(frozen=True, slots=True)
class Answering:
    """What a session may know besides the text: when it came (sender's zone), the sender, records, the currency.

    `reachable`: a reminder can be sent to its asker; without `reminders` there are none to ask about. `together`:
    other butlers are asked the same. `results`: what others answered to earlier parts of the message, for a model
    alone, since the sender did not say it. `usual` is the sender's language, for words that have none. `history` is
    what was said before in the thread, for a model alone; `others` are the members who may be told something of the
    message. `hand` is the work for which it may call something outside, if it may. With `memory` what people
    say about themselves is kept for them alone. `files` came with the message and are not opened. `in_group`:
    others read the answer, so `records` are those that the whole household may see and `own` the sender's; `policy`
    is whose each kind is. A change is `kept` by the clock of the record's teller, which its hours here are not.
    `claims`: whether an answer also states its claims as data. `calendar` is the household's, for the one butler
    that answers from it. `spoken` is what the sender spoke of, where memory is on; in a group what they said there.
    """

    moment: datetime
    household: bool
    records: RecordReader
    whose: Whose = NOBODY
    currency: str = ""
    conversation: Conversation = NO_CONVERSATION
    reminders: ReminderReader | None = None
    asker: Asker | None = None
    reachable: bool = False
    quiet: QuietHours | None = None
    usual: Language = "en"
    edit: FormerVersions | None = None
    together: TogetherV1 | None = None
    results: tuple[PartResultV1, ...] = ()
    kept: Callable[[RecordChange], RecordChange] = _as_it_is
    memory: bool = False
    files: tuple[str, ...] = ()
    history: History = NO_HISTORY
    others: tuple[Neighbour, ...] = ()
    claims: bool = False
    hand: Hand | None = None
    calendar: CalendarReader | None = None
    in_group: bool = False
    own: RecordReader | None = None
    own_reminders: ReminderReader | None = None
    me: Neighbour | None = None
    policy: Policy = ALL_HOUSEHOLD
    spoken: SpokenReader | None = None

    @property
    def apart(self) -> bool:
        """Whether the sender can be told something in a chat of their own."""
        return self.me is not None and self.me.channel is not None

    def privately(self) -> Answering:
        """Return the same in the sender's own chat, where nothing said in a group is passed on."""
        return replace(
            self,
            in_group=False,
            others=(),
            records=self.own or self.records,
            reminders=self.own_reminders or self.reminders,
        )


@dataclass(frozen=True, slots=True)
class Lookup:
    """The records that an answer is made from; `end` is excluded."""

    kinds: tuple[str, ...]
    start: date | None = None
    end: date | None = None
    all_senders: bool = False


def as_records(drafts: Sequence[RecordDraft], lookup: Lookup) -> list[Record]:
    """Return what was just told, as a question in the same message finds it."""
    values = ({each.name: getattr(draft, each.name) for each in fields(RecordDraft)} for draft in drafts)
    found = [Record(**value, seq=_JUST_NOW + place) for place, value in enumerate(values)]
    return [
        row
        for row in found
        if row.kind in lookup.kinds
        and (lookup.start is None or row.occurred_on >= lookup.start)
        and (lookup.end is None or row.occurred_on < lookup.end)
    ]


async def rows_of(records: RecordReader, lookup: Lookup) -> Sequence[Record]:
    """Return the stored records."""
    return await records.find(
        lookup.kinds, start=lookup.start, end=lookup.end, all_senders=lookup.all_senders
    )
