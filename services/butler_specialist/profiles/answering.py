"""What an answer may be made from: what a session knows besides the text, and the records that are looked up."""

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

__all__ = ["Answering", "CalendarReader", "Lookup", "as_records", "rows_of"]

_JUST_NOW: Final = 10**15
"""Beyond the number of any record."""


def _as_it_is(change: RecordChange) -> RecordChange:
    return change


class CalendarReader(Protocol):
    """The household's calendar; raises `ButlerError` while it cannot be had."""

    async def list(self, period: CalendarPeriod) -> CalendarList: ...


@dataclass(frozen=True, slots=True)
class Answering:
    """What a session may know besides the text: when it came (the writer's zone), who wrote, records, the currency.

    `reachable`: a reminder can be sent to whoever asks for it; without `reminders` there are none to be asked about.
    `together`: other butlers are asked the same. `results`: what others answered to earlier parts of the message, which
    is for a model alone: nobody who wrote said it. `usual` is the language of who wrote, for words that are of none.
    `history` is what was said before in the thread, and `others` are the members who may be told something of it: both
    for a model alone. `hand` is the work that it may call something outside for, if it may.
    With `memory` what they say of themselves is kept for them alone. `files` came with the message and are not opened.
    `in_group`: others read the answer, so `records` are those that all of the household may see, `own` what the writer
    may; `policy` is which kinds are whose. A change is `kept` by the clock of who told the record, which its hours here
    are not. `claims`: whether an answer is to say as data what it says that one thing is. `calendar` is the
    household's, for the one butler that tells of it.
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

    @property
    def apart(self) -> bool:
        """Whether the writer can be told something in a chat of their own."""
        return self.me is not None and self.me.channel is not None

    def privately(self) -> Answering:
        """The same in the writer's own chat."""
        return replace(
            self,
            in_group=False,
            records=self.own or self.records,
            reminders=self.own_reminders or self.reminders,
        )


@dataclass(frozen=True, slots=True)
class Lookup:
    """Which records an answer is made from; `end` is not included."""

    kinds: tuple[str, ...]
    start: date | None = None
    end: date | None = None
    all_senders: bool = False


def as_records(drafts: Sequence[RecordDraft], lookup: Lookup) -> list[Record]:
    """What was just told, as a question that was asked with it finds it."""
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
    """Those that are kept."""
    return await records.find(
        lookup.kinds, start=lookup.start, end=lookup.end, all_senders=lookup.all_senders
    )
