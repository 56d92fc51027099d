"""Moves a reminder to another time: which one, and when (pure).

Invariant: it is moved or it stays as it was; the answer states what it is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_kit.wording.folding import words
from butler_specialist.locale import noop, say
from butler_specialist.profiles.reminder_events import words_of
from butler_specialist.profiles.reminder_heard import Heard, stops_of, zone_of
from butler_specialist.profiles.reminder_quiet import can_wait
from butler_specialist.profiles.reminder_text import asked_text, unclear_text, when_of
from butler_specialist.remind.rule import first_occurrence, occurrences_after
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import Record, Reminder, ReminderDraft
from butler_specialist.understanding.moments import Said
from butler_specialist.understanding.moves import Move
from butler_specialist.understanding.occurrences import at_wall, dues
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.reminders import ReminderAsked, ReminderUnclear
from butler_specialist.understanding.repeats import DAY_CODES
from butler_specialist.understanding.requests import object_words
from butler_specialist.understanding.sentence import Sentence
from butler_specialist.understanding.times import Moment

__all__ = ["moved"]

_JUST: Final = timedelta(hours=1)
"""How long a bare time still moves the reminder set last."""
_OF_REMINDERS: Final = words(
    "reminder alarm timer erinnerung wecker rappel minuteur recordatorio alarma mine the"
)


def moved(
    move: Move, reading: Reading, waiting: Sequence[Reminder], rows: Sequence[Record], last: Earlier | None
) -> Heard | None:
    """Apply the move; None if no reminder is meant, or not exactly one."""
    one = _meant(move, reading, waiting, rows, last)
    if one is None:
        return None
    language: Language = one.language
    found = _moved_to(one, move.said, reading.moment)
    rest = replace(reading, sentences=())
    if isinstance(found, ReminderUnclear):
        return Heard(unclear_text(found, language), rest)
    if found is None:
        return None
    before = when_of(one.due_at.astimezone(zone_of(reading)), language)
    text = say(language, noop("Instead of {when}: {said}"), when=before, said=asked_text(found, language))
    draft = ReminderDraft(
        found.text,
        found.due.astimezone(UTC),
        found.zone,
        found.rule,
        one.grace,
        one.source,
        language,
        can_wait(found),
        elapses=found.elapses,
    )
    return Heard(text, rest, (draft,), stops_of([one]))


def _meant(
    move: Move, reading: Reading, waiting: Sequence[Reminder], rows: Sequence[Record], last: Earlier | None
) -> Reminder | None:
    """Return the named one, if no entry has that name; else the one set last."""
    named = object_words(Sentence(move.named, reading.today)) - _OF_REMINDERS if move.named else frozenset()
    if named:
        meant = [one for one in waiting if named <= words_of(one.text)]
        entries = [row for row in rows if named <= words_of(f"{row.title or ''} {row.text}")]
        return meant[0] if len(meant) == 1 and not entries else None
    if move.named and len(waiting) == 1:
        return waiting[0]
    if last is None or (not move.told and reading.moment - last.ended_at > _JUST):
        return None
    just = [one for one in waiting if one.request_id == last.request_id]
    return just[0] if len(just) == 1 and not last.told else None


def _moved_to(one: Reminder, said: Said, now: datetime) -> ReminderAsked | ReminderUnclear | None:
    zone = ZoneInfo(one.zone)
    wall = one.due_at.astimezone(zone)
    if said.wait is not None and said.wait.of_the_clock and one.rule is None:
        return ReminderAsked(one.text, said.wait.after(now), elapses=True)
    at = _nearest(said.hours[0], wall.time()) if said.hours else said.part or wall.time()
    if said.repeat is not None:
        found = dues(replace(said, hours=(Moment(at, 0, 0),)), now)
        if not isinstance(found, tuple):
            return ReminderUnclear(one.text, found.lacks, found.due)
        return ReminderAsked(one.text, found[0].due, found[0].rule)
    day = (
        said.day.on("future")
        if said.day is not None
        else said.wait.after_day(now.date())
        if said.wait
        else None
    )
    if one.rule is None:
        due = at_wall(day or wall.date(), at, zone)
        return ReminderAsked(one.text, due) if due > now else ReminderUnclear(one.text, "past", due)
    rule = _on_another_weekday(one.rule, day)
    return _first_of(one, rule, at, now) if rule is not None else None


def _nearest(hour: Moment, before: time) -> time:
    """Return am or pm of an hour, whichever is nearer to the old one."""
    if hour.twelve is None:
        return hour.at or before
    halves = (hour.twelve, hour.twelve.replace(hour=(hour.twelve.hour + 12) % 24))
    return min(halves, key=lambda at: abs((at.hour - before.hour) * 60 + at.minute - before.minute))


def _on_another_weekday(rule: str, day: date | None) -> str | None:
    """Return the rule on the named weekday; None if the rule has no single weekday."""
    if day is None:
        return rule
    parts = dict(part.split("=", 1) for part in rule.split(";"))
    if parts["FREQ"] != "WEEKLY" or "," in parts.get("BYDAY", ""):
        return None
    return ";".join(f"{key}={value}" for key, value in (parts | {"BYDAY": DAY_CODES[day.weekday()]}).items())


def _first_of(one: Reminder, rule: str, at: time, now: datetime) -> ReminderAsked | None:
    """Return its next time at the new hour; one that skips weeks keeps counting from the same day."""
    zone = ZoneInfo(one.zone)
    wall = one.due_at.astimezone(zone)
    eve = wall.date() if "INTERVAL" in rule else now.astimezone(zone).date() - timedelta(days=1)
    start = at_wall(eve, at, zone)
    if "INTERVAL" in rule and rule == one.rule and start > now:
        return ReminderAsked(one.text, start, rule)
    coming = occurrences_after(rule, first_occurrence(start, zone), zone)
    due = next((found.at.astimezone(zone) for found in coming if found.at > now), None)
    return ReminderAsked(one.text, due, rule) if due is not None else None
