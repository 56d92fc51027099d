"""PURE: the effect of an edit on the reminders that the message had asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from butler_specialist.store.reminder_model import MOST_REMINDERS, Reminder, ReminderDraft, ReminderStop

__all__ = ["Rescheduled", "rescheduled"]


@dataclass(frozen=True, slots=True)
class Rescheduled:
    """The reminders that the edit newly asks for, and the former ones that are stopped."""

    drafts: tuple[ReminderDraft, ...] = ()
    stopped: tuple[Reminder, ...] = ()

    @property
    def stops(self) -> tuple[ReminderStop, ...]:
        return tuple(ReminderStop(one.reminder_id) for one in self.stopped)


def rescheduled(waiting: Sequence[Reminder], drafts: Sequence[ReminderDraft]) -> Rescheduled:
    """Keep the reminders that both versions ask for; stop the other former ones.

    A record's own reminder follows its record (ADR 0061), whatever the message says now.
    """
    asked = {_what(draft) for draft in drafts}
    former = [one for one in waiting if one.record_id is None]
    known = {_what(one) for one in former}
    return Rescheduled(
        tuple(draft for draft in drafts if _what(draft) not in known),
        tuple(one for one in former if _what(one) not in asked)[:MOST_REMINDERS],
    )


def _what(one: Reminder | ReminderDraft) -> tuple[object, ...]:
    return one.text, one.due_at, one.zone, one.rule
