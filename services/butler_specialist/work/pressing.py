"""The outcome of a press under a reminder: decided from what is kept, with no session (ADR 0041)."""

from __future__ import annotations

from dataclasses import replace

from butler_specialist.remind.actions import language_of_label, wanted_by
from butler_specialist.remind.press import answered
from butler_specialist.store.model import Outcome, RoutedWork
from butler_specialist.store.reminders import ReminderStore
from butler_specialist.work.answers import succeeded

__all__ = ["Presses"]


class Presses:
    """Answers presses by the reminders of this butler."""

    def __init__(self, *, own_name: str, reminders: ReminderStore) -> None:
        self._own_name = own_name
        self._reminders = reminders

    async def outcome(self, work: RoutedWork, action: str) -> Outcome:
        """What becomes of a press."""
        wanted = wanted_by(action)
        told = await self._reminders.find_told(wanted, work.asker) if wanted is not None else None
        label = work.envelope.input.prompt
        found = answered(wanted, told, now=work.now, language=language_of_label(label))
        outcome = succeeded(
            work.envelope, answer=found.text, records=(), own_name=self._own_name, sender=work.contact_name
        )
        return replace(
            outcome,
            reminders=(found.draft,) if found.draft is not None else (),
            reminder_stops=(found.stop,) if found.stop is not None else (),
            answers=(found.answer,) if found.answer is not None else (),
        )
