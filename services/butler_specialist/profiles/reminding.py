"""What is done about reminders in a message: set, stopped, told of; the rest of it is for the profile (D67, ADR 0036).

Invariants: what is promised is exactly what is asked for of the store; a promise is made only where whoever asks can be
reached; nobody stops what is not theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from butler_specialist.profiles.reminder_events import Event, before_event, coming_records, event_of, words_of
from butler_specialist.profiles.reminder_text import (
    asked_text,
    coming_text,
    no_such_text,
    records_text,
    stopped_text,
    unclear_text,
    which_text,
)
from butler_specialist.store.model import (
    DATE_GRACE,
    GRACE,
    Record,
    Reminder,
    ReminderDraft,
    ReminderStop,
)
from butler_specialist.understanding.language import Language, language_of
from butler_specialist.understanding.occurrences import at_wall
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.reminder_words import ALL, COMING, WHICH, Stop, stop_in
from butler_specialist.understanding.reminders import (
    ReminderAsked,
    ReminderUnclear,
    Wanted,
    continued_in,
    reminders_of,
    wanted_in,
)
from butler_specialist.understanding.requests import Wish, object_words, requests_in

__all__ = ["Heard", "heard_of", "speaks_of_reminders"]

MOST: Final = 20
_TEXT_CHARS: Final = 300
_LOOKED_AT: Final = 8
"""Clauses; who asks about reminders writes no more."""
_AHEAD: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Heard:
    """What is said and done about reminders, and what the message says besides."""

    text: str
    rest: Reading
    drafts: tuple[ReminderDraft, ...] = ()
    stops: tuple[ReminderStop, ...] = ()


@dataclass(slots=True)
class _Wishes:
    """The wishes of a message, and its sentences without them."""

    wanted: list[tuple[Wanted, Sentence]] = field(default_factory=list)
    rest: list[Sentence] = field(default_factory=list)


def speaks_of_reminders(reading: Reading) -> bool:
    """Whether a message asks to be reminded, ends that, or asks which reminders there are."""
    if any(one.wish is Wish.REMIND for one in requests_in(reading)):
        return True
    some = reading.sentences[:_LOOKED_AT] if len(reading.sentences) <= _LOOKED_AT else ()
    return any(WHICH.match(one.folded) or COMING.match(one.folded) or stop_in(one.folded) for one in some)


def heard_of(
    reading: Reading, rows: Sequence[Record], waiting: Sequence[Reminder], *, reachable: bool
) -> Heard | None:
    """What is done, with the household's records and the person's reminders known; None where nothing is to be."""
    language = language_of(f"{reading.subject}\n{reading.text}")
    wishes = _wishes(reading) if reachable else _Wishes()
    if wishes.wanted:
        rest = replace(reading, sentences=tuple(wishes.rest), text=_text_of(reading, wishes))
        return _set(wishes, rows, rest, language)
    for sentence in reading.sentences[:_LOOKED_AT]:
        heard = _told(sentence, rows, waiting, reading, language)
        if heard is not None:
            return heard
    return None


def _told(
    sentence: Sentence,
    rows: Sequence[Record],
    waiting: Sequence[Reminder],
    reading: Reading,
    language: Language,
) -> Heard | None:
    """The answer to a question about what is to come, or a stop."""
    rest, zone = reading.without([sentence]), _zone(reading)
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
    """The household's dated records and the person's reminders of the next seven days."""
    end = reading.today + _AHEAD
    coming = coming_records(rows, reading.moment, end)
    zone = _zone(reading)
    until = at_wall(end, time(0), zone)
    told = coming_text([one for one in waiting if one.due_at < until], zone, language)
    return " ".join(part for part in (records_text(coming, reading.today, language), told) if part)


def _zone(reading: Reading) -> ZoneInfo:
    zone = reading.moment.tzinfo
    return zone if isinstance(zone, ZoneInfo) else ZoneInfo("UTC")


def _wishes(reading: Reading) -> _Wishes:
    asking = {id(one.sentence) for one in requests_in(reading) if one.wish is Wish.REMIND}
    found, line = _Wishes(), -1
    for sentence in reading.sentences:
        wanted = wanted_in(sentence.text, reading.today) if id(sentence) in asking else None
        if wanted is None and found.wanted and sentence.line == line:
            wanted = continued_in(sentence.text, reading.today)
        if wanted is None:
            found.rest.append(sentence)
            continue
        line = sentence.line
        if wanted.before:
            found.rest.append(replace(sentence, text=wanted.before))
        found.wanted.append((wanted, sentence))
    return found


def _text_of(reading: Reading, wishes: _Wishes) -> str:
    text = reading.text
    for wanted, sentence in wishes.wanted:
        text = text.replace(sentence.text, wanted.before, 1)
    return text.strip(" \n,;.")


def _set(wishes: _Wishes, rows: Sequence[Record], rest: Reading, language: Language) -> Heard:
    found: list[ReminderAsked | ReminderUnclear] = []
    for wanted, _ in wishes.wanted[:MOST]:
        wanted = replace(wanted, text=one_line(wanted.text, most=_TEXT_CHARS))
        found += _moments(wanted, rows, rest)
    asked = [one for one in found if isinstance(one, ReminderAsked)][:MOST]
    unclear = [one for one in found if isinstance(one, ReminderUnclear)]
    said = [asked_text(one, language) for one in asked] + [unclear_text(one, language) for one in unclear]
    return Heard(" ".join(dict.fromkeys(said)), rest, tuple(_draft(one, language) for one in asked))


def _moments(
    wanted: Wanted, rows: Sequence[Record], rest: Reading
) -> Sequence[ReminderAsked | ReminderUnclear]:
    if wanted.said.ahead is None:
        return reminders_of(wanted, rest.moment)
    event = event_of(wanted, rows, rest)
    if not isinstance(event, Event):
        return [event]
    return [before_event(wanted, event, rest.moment)]


def _draft(asked: ReminderAsked, language: Language) -> ReminderDraft:
    grace = DATE_GRACE if asked.assumed == "hour" else GRACE
    return ReminderDraft(
        asked.text, asked.due.astimezone(UTC), asked.zone, asked.rule, grace, "asked", language
    )


def _stopped(stop: Stop, text: str, waiting: Sequence[Reminder], rest: Reading, language: Language) -> Heard:
    """The named one, else the only one; else a question with those that there are."""
    zone = _zone(rest)
    words = object_words(Sentence(text, rest.today)) - ALL
    meant = [one for one in waiting if words and words <= words_of(one.text)]
    if not words and (stop.everything or len(waiting) == 1):
        meant = list(waiting[:MOST])
    if len(meant) == 1 or (meant and not words):
        return Heard(stopped_text(meant, zone, language), rest, (), _stops(meant))
    if not waiting:
        return Heard(which_text((), zone, language), rest)
    named = text.strip() if words and not meant else ""
    return Heard(no_such_text(named, meant or waiting, zone, language), rest)


def _stops(meant: Sequence[Reminder]) -> tuple[ReminderStop, ...]:
    return tuple(ReminderStop(one.reminder_id) for one in meant)
