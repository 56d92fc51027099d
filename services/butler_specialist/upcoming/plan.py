"""PURE: whom a record that comes up is told, and what has to change of the reminders that stand (D67, D68, ADR 0061).

Invariants: a record is told to whoever told it, and to nobody who does not want it; one reminder for one time of a
record, which stays told once it was; what a person stopped does not come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_kit.wording.standing import Topic
from butler_specialist.remind.reach import PUSHED, Reach
from butler_specialist.store.model import Record
from butler_specialist.understanding.household import teller_key
from butler_specialist.upcoming.leads import DEFAULT_LEADS
from butler_specialist.upcoming.occasions import Leads, Occasion
from butler_specialist.upcoming.wording import occasion_text

__all__ = ["Due", "Plan", "Standing", "Wants", "Wish", "due_of", "plan_of"]

_MOST: Final = 1_000
"""New reminders of one look, the soonest first; the next look finds the others."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What one person said of a topic, and where they are told."""

    wanted: bool
    reach: Reach
    language: Language
    leads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Wants:
    """Who wants what, and how many days before: each person's word, else the household's."""

    wishes: Mapping[tuple[str, Topic], Wish] = field(default_factory=dict)
    household: frozenset[Topic] = frozenset()
    language: Callable[[UUID | None], Language] = lambda _: "en"
    before: Mapping[Topic, tuple[int, ...]] = field(default_factory=dict)

    def leads(self, topic: Topic) -> Leads:
        """How many days before the teller of a record is told."""

        def of(row: Record) -> tuple[int, ...]:
            wish = self.wishes.get((teller_key(row.contact_id, row.channel, row.sender), topic))
            said = wish.leads if wish is not None else ()
            return said or self.before.get(topic) or DEFAULT_LEADS

        return of

    def of(self, row: Record, topic: Topic) -> Wish | None:
        """How the teller of a record is told; None for who does not want it, or can be told nowhere."""
        wish = self.wishes.get((teller_key(row.contact_id, row.channel, row.sender), topic))
        if wish is not None:
            return wish if wish.wanted else None
        if topic not in self.household or row.channel not in PUSHED or row.sender_class != "household":
            return None
        address = row.sender if row.contact_id is None else None
        reach = Reach(row.channel, row.contact_id, address)
        return Wish(True, reach, self.language(row.contact_id))


@dataclass(frozen=True, slots=True)
class Due:
    """A reminder that is to stand: what it says, to whom."""

    occasion: Occasion
    reach: Reach
    language: Language
    text: str

    @property
    def names(self) -> tuple[UUID, str]:
        return self.occasion.record.record_id, self.occasion.key


@dataclass(frozen=True, slots=True)
class Standing:
    """A reminder of a record as it is kept; `version` is the record's. What `lapsed` was stopped by its record."""

    reminder_id: UUID
    record_id: UUID
    key: str
    text: str
    waits: bool
    lapsed: bool
    begun: bool
    version: int
    zone: str

    @property
    def names(self) -> tuple[UUID, str]:
        return self.record_id, self.key


@dataclass(frozen=True, slots=True)
class Plan:
    """What is written: reminders with their moment and grace, new words of those that wait, and those that end.

    Where one `comes_back` it ended because its person has another clock, and the next look writes it by that.
    """

    keep: tuple[tuple[Due, datetime, timedelta], ...] = ()
    reword: tuple[tuple[Standing, str], ...] = ()
    lapse: tuple[Standing, ...] = ()
    comes_back: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.keep or self.reword or self.lapse)


def due_of(found: Iterable[Occasion], wants: Wants) -> list[Due]:
    """What is told of the occasions, each to the one who told the record."""
    due = []
    for one in found:
        wish = wants.of(one.record, one.topic)
        if wish is not None:
            due.append(Due(one, wish.reach, wish.language, occasion_text(one, wish.language)))
    return due


def plan_of(due: Sequence[Due], standing: Sequence[Standing], now: datetime) -> Plan:
    """What makes the reminders that stand those that are to stand. What is being told is left alone."""
    wanted = {one.names: one for one in due}
    known = {one.reminder_id: one for one in standing}
    waiting = [one for one in standing if one.waits and not one.begun]
    elsewhere = [one for one in waiting if one.names in wanted and _is_elsewhere(one, wanted[one.names])]
    return Plan(
        keep=_new(due, known, now),
        reword=tuple(
            (one, wanted[one.names].text)
            for one in waiting
            if one.names in wanted and wanted[one.names].text != one.text
        ),
        lapse=(*(one for one in waiting if one.names not in wanted), *elsewhere),
        comes_back=bool(elsewhere),
    )


def _is_elsewhere(one: Standing, due: Due) -> bool:
    """Whether it is by another clock than its person's of now; what was put off comes when it was put off to."""
    occasion = due.occasion
    return one.reminder_id == occasion.reminder_id and one.zone != occasion.clock.zone.key


def _new(
    due: Sequence[Due], known: Mapping[UUID, Standing], now: datetime
) -> tuple[tuple[Due, datetime, timedelta], ...]:
    new = []
    for one in due:
        before, moment = known.get(one.occasion.reminder_id), one.occasion.next_moment(now)
        if moment is not None and (before is None or before.lapsed):
            new.append((one, moment, one.occasion.grace(moment)))
    return tuple(sorted(new, key=lambda entry: (entry[1], str(entry[0].occasion.reminder_id)))[:_MOST])
