"""Chats in which others read the answer (ADR 0100).

Invariant: what is told there is what everybody there may know; an uncertain chat counts as a group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_contracts.ingest import SourceChannel
from butler_specialist.store.reminder_model import Asker, Reminder

__all__ = ["OfThread", "ThreadReminders", "is_of_several"]

_TO_THE_WRITER_ALONE: Final = frozenset({SourceChannel.EMAIL, SourceChannel.API, SourceChannel.MCP})
"""Channels whose answer goes to the sender alone, whoever else received the message."""


def is_of_several(context: RequestContext) -> bool:
    """Return whether others read the answer: a Telegram group has a number below zero.

    Other chats do not say.
    """
    channel = context.source_channel
    if channel in _TO_THE_WRITER_ALONE:
        return False
    if channel is not SourceChannel.TELEGRAM:
        return True
    return (context.source_thread_identity or "").startswith("-")


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
