"""Handles "undo" after a message that stopped reminders: they are set again (pure; ADR 0034).

Invariant: the stopped reminders are set again, at their next time; one that is over by now is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_specialist.profiles.reminder_text import asked_text, unclear_text
from butler_specialist.remind.rule import first_occurrence, occurrences_after
from butler_specialist.store.model import Reminder, ReminderDraft
from butler_specialist.understanding.reminders import ReminderAsked, ReminderUnclear

__all__ = ["SetAgain", "set_again"]


@dataclass(frozen=True, slots=True)
class SetAgain:
    """The answer, and the reminders that are set again."""

    text: str
    drafts: tuple[ReminderDraft, ...]


def set_again(stopped: Sequence[Reminder], now: datetime, language: Language) -> SetAgain:
    """Set the stopped ones again, each at its next time after `now`."""
    said, drafts = list[str](), list[ReminderDraft]()
    for one in stopped:
        due, wall = _next(one, now), one.due_at.astimezone(ZoneInfo(one.zone))
        if due is None:
            said.append(unclear_text(ReminderUnclear(one.text, "past", wall), language))
            continue
        said.append(asked_text(ReminderAsked(one.text, due, one.rule), language))
        drafts.append(_draft(one, due))
    return SetAgain(" ".join(said), tuple(drafts))


def _next(one: Reminder, now: datetime) -> datetime | None:
    zone = ZoneInfo(one.zone)
    if one.due_at > now:
        return one.due_at.astimezone(zone)
    coming = occurrences_after(one.rule, first_occurrence(one.due_at, zone), zone)
    return next((found.at.astimezone(zone) for found in coming if found.at > now), None)


def _draft(one: Reminder, due: datetime) -> ReminderDraft:
    return ReminderDraft(
        one.text,
        due.astimezone(UTC),
        one.zone,
        one.rule,
        one.grace,
        one.source,
        one.language,
        one.can_wait,
        one.record_id,
        one.occasion,
        one.elapses,
    )
