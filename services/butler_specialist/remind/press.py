"""PURE: the result of a press under a reminder (ADR 0041).

Invariants: one telling is answered once, but what was put off may still be done; nobody answers a reminder that is
not theirs, or learns its text; what an answer says is what is stored with it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_specialist.locale import noop, say
from butler_specialist.questions.wording import ended, when_text
from butler_specialist.remind.actions import PUT_OFF, Wanted
from butler_specialist.store.reminder_model import (
    GRACE,
    Reminder,
    ReminderAnswer,
    ReminderDraft,
    ReminderStop,
)

__all__ = ["Answered", "Told", "answered"]


@dataclass(frozen=True, slots=True)
class Told:
    """The presser's reminder, their earlier answer to this occurrence, and when it comes again."""

    reminder: Reminder
    answer: Literal["done", "put_off"] | None = None
    put_off_as: UUID | None = None
    put_off_to: datetime | None = None
    """Set while it is still to come."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer and its effects."""

    text: str
    answer: ReminderAnswer | None = None
    draft: ReminderDraft | None = None
    stop: ReminderStop | None = None


def answered(
    wanted: Wanted | None, told: Told | Literal["others"] | None, *, now: datetime, language: Language
) -> Answered:
    """Return the answer to a press at `now`.

    `language` is the button's, for those who may not see the reminder.
    """
    if told == "others":
        return Answered(say(language, "This reminder is somebody else’s. Nothing was changed."))
    if wanted is None or told is None or not _was_told(wanted, told.reminder, now):
        return Answered(say(language, "I do not know this reminder any more. Nothing was changed."))
    if told.answer == "done":
        return Answered(_said(told, noop("That was done already: {text}")))
    if told.answer == "put_off":
        return _after_putting_off(wanted, told)
    if told.reminder.state == "stopped":
        return Answered(_said(told, noop("This reminder was stopped, so nothing was changed: {text}")))
    return _done(wanted, told) if wanted.verb == "done" else _put_off(wanted, told, now)


def _was_told(wanted: Wanted, reminder: Reminder, now: datetime) -> bool:
    """Return whether there was such an occurrence; for a recurring one only that it is not still to come."""
    due_at = reminder.due_at.replace(microsecond=0)
    if reminder.rule is None:
        return wanted.due_at == due_at <= now
    return wanted.due_at <= min(due_at, now)


def _after_putting_off(wanted: Wanted, told: Told) -> Answered:
    if wanted.verb == "done":
        stop = ReminderStop(told.put_off_as) if told.put_off_as and told.put_off_to else None
        return replace(_done(wanted, told), stop=stop)
    if told.put_off_to is None:
        return Answered(_said(told, noop("You answered that already: {text}")))
    return Answered(_said(told, noop("That was put off already, to {when}: {text}"), told.put_off_to))


def _done(wanted: Wanted, told: Told) -> Answered:
    answer = ReminderAnswer(wanted.reminder_id, wanted.due_at, "done", replaces=told.answer is not None)
    said = _said(told, noop("Done: {text}"))
    if (told.reminder.occasion or "").startswith("bills:"):
        said += " " + say(told.reminder.language, "That does not mark the bill as paid; tell me when it is.")
    return Answered(said, answer)


def _put_off(wanted: Wanted, told: Told, now: datetime) -> Answered:
    due_at, reminder = (now + (wanted.put_off or PUT_OFF[wanted.verb])).astimezone(UTC), told.reminder
    draft = ReminderDraft(
        reminder.text,
        due_at,
        reminder.zone,
        None,
        GRACE,
        reminder.source,
        reminder.language,
        record_id=reminder.record_id,
        occasion=reminder.occasion,
        elapses=True,
    )
    answer = ReminderAnswer(wanted.reminder_id, wanted.due_at, "put_off")
    return Answered(_said(told, noop("I will remind you again on {when}: {text}"), due_at), answer, draft)


def _said(told: Told, text: str, at: datetime | None = None) -> str:
    """Return the text in the reminder's language, the moment by its clock."""
    reminder = told.reminder
    local = at.astimezone(ZoneInfo(reminder.zone)) if at is not None else None
    when = when_text(local.date(), local.time(), reminder.language) if local is not None else ""
    return ended(say(reminder.language, text, text=reminder.text.removesuffix("."), when=when))
