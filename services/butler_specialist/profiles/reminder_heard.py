"""What a message says about reminders, and the answers to "which?", "what is ahead?" and "stop" (pure).

Invariant: nobody stops or is told about a reminder that is not theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_specialist.profiles.reminder_events import coming_records, words_of
from butler_specialist.profiles.reminder_text import (
    coming_text,
    no_such_text,
    records_text,
    stopped_text,
    which_text,
)
from butler_specialist.questions.periods import Period
from butler_specialist.store.model import (
    MOST_REMINDERS,
    Question,
    Record,
    Reminder,
    ReminderDraft,
    ReminderStop,
)
from butler_specialist.understanding.occurrences import at_wall
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.reminder_stops import ALL, COMING, WHICH, Stop, stop_in
from butler_specialist.understanding.requests import object_words

__all__ = ["Heard", "ahead_text", "answered", "stops_of", "zone_of"]

_AHEAD: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Heard:
    """The answer and actions about reminders, and the rest of the message."""

    text: str
    rest: Reading
    drafts: tuple[ReminderDraft, ...] = ()
    stops: tuple[ReminderStop, ...] = ()
    question: Question | None = None


def answered(
    sentence: Sentence,
    rows: Sequence[Record],
    waiting: Sequence[Reminder],
    reading: Reading,
    language: Language,
) -> Heard | None:
    """Return the answer to a question about what is coming, or a stop."""
    rest, zone = reading.without([sentence]), zone_of(reading)
    if WHICH.match(sentence.folded):
        return Heard(which_text(waiting, zone, language), rest)
    if COMING.match(sentence.folded):
        return Heard(_ahead_text(rows, waiting, reading, language), rest)
    stop = stop_in(sentence.folded)
    if stop is None or (stop.bare and not waiting):
        return None
    text = " ".join(sentence.text[start:end].strip() for start, end in stop.named)
    return _stopped(stop, text, waiting, rest, language)


def _ahead_text(
    rows: Sequence[Record], waiting: Sequence[Reminder], reading: Reading, language: Language
) -> str:
    """Return the household's records and the person's reminders of the next seven days, or the next one."""
    end, waiting = reading.today + _AHEAD, _asked_for(waiting)
    coming = coming_records(rows, reading.moment, end)
    zone = zone_of(reading)
    until = at_wall(end, time(0), zone)
    told = coming_text([one for one in waiting if one.due_at < until] or waiting[:1], zone, language)
    return " ".join(part for part in (records_text(coming, reading.today, language), told) if part)


def ahead_text(waiting: Sequence[Reminder], period: Period, reading: Reading) -> str:
    """Return the reminders in a period, by the household's days."""
    zone = zone_of(reading)
    coming = [
        one
        for one in _asked_for(waiting)
        if (period.start is None or one.due_at.astimezone(zone).date() >= period.start)
        and (period.end is None or one.due_at.astimezone(zone).date() < period.end)
    ]
    return coming_text(coming, zone, reading.language)


def _asked_for(waiting: Sequence[Reminder]) -> list[Reminder]:
    """Leave out one-off reminders of records, which are listed themselves if they lie ahead."""
    return [one for one in waiting if one.record_id is None or one.rule is not None]


def zone_of(reading: Reading) -> ZoneInfo:
    """Return the household's zone."""
    zone = reading.moment.tzinfo
    return zone if isinstance(zone, ZoneInfo) else ZoneInfo("UTC")


def _stopped(stop: Stop, text: str, waiting: Sequence[Reminder], rest: Reading, language: Language) -> Heard:
    """Stop the named one, else the only one; else ask, listing those that exist."""
    zone = zone_of(rest)
    words = object_words(Sentence(text, rest.today)) - ALL
    meant = [one for one in waiting if words and words <= words_of(one.text)]
    if not words and (stop.everything or len(waiting) == 1):
        meant = list(waiting[:MOST_REMINDERS])
    of_one = {one.record_id or one.reminder_id for one in meant}
    if len(of_one) == 1 or (meant and not words):
        return Heard(stopped_text(meant, zone, language), rest, (), stops_of(meant))
    if not waiting:
        return Heard(which_text((), zone, language), rest)
    named = text.strip() if words and not meant else ""
    return Heard(no_such_text(named, meant or waiting, zone, language), rest)


def stops_of(meant: Sequence[Reminder]) -> tuple[ReminderStop, ...]:
    """Return the stop of each."""
    return tuple(ReminderStop(one.reminder_id) for one in meant)
