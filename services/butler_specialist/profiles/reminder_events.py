"""Reminders before an event: two days before a known birthday, an hour before what was just told (pure).

Invariant: the day is that of one record, or of the same message; if there is none or more than one, it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from butler_kit.wording.folding import fold, words
from butler_specialist.profiles.relationship.birthdays import next_birthday
from butler_specialist.questions.wording import joined, quoted
from butler_specialist.store.model import Record
from butler_specialist.understanding.moments import said_in
from butler_specialist.understanding.occurrences import NINE, at_wall
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.reminders import ReminderAsked, ReminderUnclear, Wanted
from butler_specialist.understanding.requests import object_words
from butler_specialist.understanding.sentence import Sentence

__all__ = ["Event", "before_event", "coming_records", "day_of", "event_of", "words_of"]

_SHOWN: Final = 4
_BIRTHDAY: Final = re.compile(r"\b(?:birthdays?|bday|geburtstage?s?|anniversaires?|cumpleanos)\b")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_WHOSE: Final = words("her his their hi it its sein seinem seinen ihr ihrem ihren leur ses sus")
"""Possessives that name nobody; if one such thing is known, it is meant."""
_GENITIVE: Final = re.compile(r"['’]s?\b")


@dataclass(frozen=True, slots=True)
class Event:
    """The event preceded: its day, its hour if known, its words."""

    day: date
    at: time | None
    text: str


def event_of(
    wanted: Wanted, rows: Sequence[Record], rest: Reading, just: Sequence[Record] = ()
) -> Event | ReminderUnclear:
    """Return the one event meant: a named day, one told in the same message, else one known from a record.

    Without words of its own it is what was told `just` before: "dentist on Friday at 3", "remind me an hour before".
    """
    named = said_in(wanted.event, rest.today)
    if named.day is None and wanted.said.day is not None:
        return Event(wanted.said.day.on("future"), None, wanted.event)
    if named.day is not None:
        at = next((hour.at or hour.twelve for hour in named.hours), None)
        return Event(named.day.on("future"), at, wanted.event)
    asked = _asked(wanted.event, rest.today)
    told = _told(wanted, rest, asked)
    if told is not None:
        return told
    meant = [row for row in rows if asked and asked <= _words(row)] if asked else _standing(just)
    coming = [row for row in meant if day_of(row, rest.today) >= rest.today]
    days = {(day_of(row, rest.today), row.occurred_at): row for row in coming}
    if len(days) == 1:
        [((day, at), row)] = days.items()
        return Event(day, at, wanted.event or row.title or row.text)
    if days:
        shown = [quoted(row.text, most=100) for row in list(days.values())[:_SHOWN]]
        return ReminderUnclear(joined(shown), "several")
    return ReminderUnclear(wanted.event or wanted.text, "event")


def _standing(just: Sequence[Record]) -> list[Record]:
    """Return what the last message told with a day of its own and what still stands."""
    return [row for row in just if not row.withdrawn and row.details.get("day") != "of the message"]


def before_event(wanted: Wanted, event: Event, now: datetime) -> ReminderAsked | ReminderUnclear:
    """Return the reminder that long before it; days before it at the named hour, else at nine."""
    ahead, text = wanted.said.ahead, wanted.text or event.text or wanted.before.strip(" ,.!")
    if not text:
        return ReminderUnclear("", "what")
    zone = now.tzinfo if isinstance(now.tzinfo, ZoneInfo) else ZoneInfo("UTC")
    if ahead is None or (ahead.of_the_clock and event.at is None):
        return ReminderUnclear(text, "hour")
    if ahead.of_the_clock:
        due, assumed = ahead.before(at_wall(event.day, event.at or NINE, zone)), False
    else:
        at, assumed = _hour(wanted, now)
        due = at_wall(ahead.before(at_wall(event.day, NINE, zone)).date(), at, zone)
    if due <= now:
        return ReminderUnclear(text, "past", due)
    return ReminderAsked(text, due, None, "hour" if assumed else None)


def day_of(row: Record, today: date) -> date:
    """Return its day; of a birthday the next one."""
    return next_birthday(row.occurred_on, today) if row.kind == "birthday" else row.occurred_on


def coming_records(rows: Sequence[Record], start: datetime, end: date) -> list[Record]:
    """Return what lies ahead until `end` (excluded), the next first; records without a day are left out."""
    today = start.date()
    dated = [
        row
        for row in rows
        if row.details.get("day") != "of the message"
        and today <= day_of(row, today) < end
        and (day_of(row, today) > today or (row.occurred_at is not None and row.occurred_at > start.time()))
    ]
    return sorted(dated, key=lambda row: (day_of(row, today), row.occurred_at or time(0), row.seq))


def _told(wanted: Wanted, rest: Reading, words: frozenset[str]) -> Event | None:
    """Return what another clause of the message dates: the one with the words, or the last one."""
    for sentence in reversed(rest.sentences):
        when = rest.when(sentence, "future", usual="future")
        if not when.named or when.day < rest.today:
            continue
        if not words or words <= words_of(sentence.folded):
            return Event(when.day, when.at, sentence.text.strip(" .!"))
    return None


def _hour(wanted: Wanted, now: datetime) -> tuple[time, bool]:
    """Return the hour named with the lead, or nine."""
    hour = next(iter(wanted.said.hours), None)
    if hour is not None:
        early = hour.at is None and hour.twelve is not None and hour.twelve.hour < 7
        at = hour.at or hour.twelve or NINE
        return (at.replace(hour=at.hour + 12) if early else at), False
    return (wanted.said.part, False) if wanted.said.part is not None else (NINE, True)


def _asked(event: str, today: date) -> frozenset[str]:
    named = object_words(Sentence(_GENITIVE.sub("", event), today)) - _WHOSE
    return frozenset("birthday" if _BIRTHDAY.fullmatch(word) else word for word in named)


def _words(row: Record) -> frozenset[str]:
    kind = row.kind.replace("_", " ")
    return words_of(f"{kind} {row.title or ''} {row.text} {row.party or ''} {row.place or ''}")


def words_of(text: str) -> frozenset[str]:
    """Return the words by which it may be named."""
    folded = _BIRTHDAY.sub("birthday", _GENITIVE.sub("", fold(text)))
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in _WORD.findall(folded))
