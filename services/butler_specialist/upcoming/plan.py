"""PURE: who is told about a record, and how the standing reminders have to change (D67, D68, ADR 0061).

Invariants: a record is told to its teller, and to nobody who does not want it; there is one reminder for one time
of a record, which stays told once it was; what a person stopped does not come back.
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
"""The most new reminders of one pass, the soonest first; the next pass finds the others."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One person's wish about a topic, and where they are told."""

    wanted: bool
    reach: Reach
    language: Language
    leads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Wants:
    """Who wants what, and how many days before: each person's wish, else the household's."""

    wishes: Mapping[tuple[str, Topic], Wish] = field(default_factory=dict)
    household: frozenset[Topic] = frozenset()
    language: Callable[[UUID | None], Language] = lambda _: "en"
    before: Mapping[Topic, tuple[int, ...]] = field(default_factory=dict)

    def leads(self, topic: Topic) -> Leads:
        """Return how many days before the teller of a record is told."""

        def of(row: Record) -> tuple[int, ...]:
            wish = self.wishes.get((teller_key(row.contact_id, row.channel, row.sender), topic))
            said = wish.leads if wish is not None else ()
            return said or self.before.get(topic) or DEFAULT_LEADS

        return of

    def of(self, row: Record, topic: Topic) -> Wish | None:
        """Return how the teller of a record is told; None if they do not want it or cannot be reached."""
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
    """A reminder that should stand: its text and recipient."""

    occasion: Occasion
    reach: Reach
    language: Language
    text: str

    @property
    def names(self) -> tuple[UUID, str]:
        return self.occasion.record.record_id, self.occasion.key


@dataclass(frozen=True, slots=True)
class Standing:
    """A stored reminder of a record; `version` is the record's. A `lapsed` one was stopped by its record."""

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
    """The writes: new reminders with moment and grace, new texts of waiting ones, and those that end.

    If one `comes_back`, it ended because its person's clock changed, and the next pass writes it by the new clock.
    """

    keep: tuple[tuple[Due, datetime, timedelta], ...] = ()
    reword: tuple[tuple[Standing, str], ...] = ()
    lapse: tuple[Standing, ...] = ()
    comes_back: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.keep or self.reword or self.lapse)


def due_of(found: Iterable[Occasion], wants: Wants) -> list[Due]:
    """Return what is told of the occasions, each to its record's teller."""
    due = []
    for one in found:
        wish = wants.of(one.record, one.topic)
        if wish is not None:
            due.append(Due(one, wish.reach, wish.language, occasion_text(one, wish.language)))
    return due


def plan_of(due: Sequence[Due], standing: Sequence[Standing], now: datetime) -> Plan:
    """Return the plan that turns the standing reminders into the wanted ones.

    One being told is left alone.
    """
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
    """Return whether its clock is no longer its person's.

    One that was put off keeps the time it was put off to.
    """
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
