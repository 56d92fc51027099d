"""A person's reminders in a chat in which others read the answer (ADR 0100)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from butler_specialist.store.reminder_model import Asker, Reminder

__all__ = ["OfThread", "ThreadReminders"]


class ThreadReminders(Protocol):
    """A person's reminders, all or those of one thread."""

    async def find_reminders(self, person: Asker, *, thread: str | None = None) -> Sequence[Reminder]: ...

    async def find_stopped(self, person: Asker, request_id: UUID) -> Sequence[Reminder]: ...


class OfThread:
    """A `ReminderReader` of what was asked for in one thread; empty without a thread."""

    def __init__(self, reminders: ThreadReminders, thread: str | None) -> None:
        self._reminders = reminders
        self._thread = thread

    async def find_reminders(self, person: Asker) -> Sequence[Reminder]:
        return await self._reminders.find_reminders(person, thread=self._thread) if self._thread else ()

    async def find_stopped(self, person: Asker, request_id: UUID) -> Sequence[Reminder]:
        return await self._reminders.find_stopped(person, request_id)
