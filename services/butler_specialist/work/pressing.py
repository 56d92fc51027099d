"""Answers a press under a reminder, or "done" in words, from the stored state, without a session."""

from __future__ import annotations

from dataclasses import replace

from butler_contracts.language import Language
from butler_kit.wording.language import language_of
from butler_specialist.remind.actions import Wanted, language_of_label, wanted_by, wanted_in_words
from butler_specialist.remind.press import answered
from butler_specialist.store.model import Outcome, RoutedWork
from butler_specialist.store.reminders import ReminderStore
from butler_specialist.work.answers import succeeded

__all__ = ["Presses"]


class Presses:
    """Answers presses from the reminders of this butler."""

    def __init__(self, *, own_name: str, reminders: ReminderStore) -> None:
        self._own_name = own_name
        self._reminders = reminders

    async def outcome(self, work: RoutedWork) -> Outcome | None:
        """Return the outcome of a press, or of the same in words; None for any other message."""
        pressed, said = work.envelope.pressed, work.envelope.input.prompt
        if pressed is not None:
            return await self._answered(work, wanted_by(pressed), language_of_label(said))
        offered = work.envelope.replied.actions if work.envelope.replied is not None else ()
        wanted = wanted_in_words(said, offered)
        return await self._answered(work, wanted, language_of(said)) if wanted is not None else None

    async def _answered(self, work: RoutedWork, wanted: Wanted | None, language: Language) -> Outcome:
        told = await self._reminders.find_told(wanted, work.asker) if wanted is not None else None
        found = answered(wanted, told, now=work.now, language=language)
        outcome = succeeded(
            work.envelope,
            answer=found.text,
            records=(),
            own_name=self._own_name,
            language=language,
            sender=work.contact_name,
        )
        return replace(
            outcome,
            reminders=(found.draft,) if found.draft is not None else (),
            reminder_stops=(found.stop,) if found.stop is not None else (),
            answers=(found.answer,) if found.answer is not None else (),
        )
