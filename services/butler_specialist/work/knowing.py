"""What the session of a subrequest may know besides its text, from the stores of this butler."""

from __future__ import annotations

from dataclasses import dataclass

from butler_kit.db import Pool
from butler_specialist.accept.validate import thread_key
from butler_specialist.people.eyes import Eyes, OfPersons, SeenRecords
from butler_specialist.people.keeper import People
from butler_specialist.profiles.answering import Answering
from butler_specialist.remind.reach import reach_of
from butler_specialist.store.conversation import StoredConversation
from butler_specialist.store.former import StoredVersions
from butler_specialist.store.model import RoutedWork
from butler_specialist.store.reminder_model import ReminderReader
from butler_specialist.understanding.household import Whose

__all__ = ["Sources"]


@dataclass(frozen=True, slots=True)
class Sources:
    """Where it comes from; `currency` is that of a sum that names none."""

    pool: Pool
    records: OfPersons
    reminders: ReminderReader
    people: People
    currency: str
    memory: bool = False

    def answering(self, work: RoutedWork) -> Answering:
        """As who wrote the message sees it, by their clock and in their language."""
        context = work.envelope.request_context
        ways, eyes = self.people.of(work.contact_id), Eyes(work.contact_id, self.people.zone_of)
        whose = Whose.of(
            work.people, work.contact_id, context.source_channel.value, context.source_sender_identity
        )
        return Answering(
            moment=work.said_at.astimezone(ways.clock.zone),
            household=context.sender_class == "household",
            whose=whose,
            records=SeenRecords(self.records, eyes, whose.me),
            kept=eyes.kept,
            currency=self.currency,
            conversation=self._conversation(work, whose, eyes),
            reminders=self.reminders,
            asker=work.asker,
            quiet=ways.clock.quiet,
            usual=ways.language,
            reachable=reach_of(context, work.people) is not None,
            together=work.envelope.together,
            results=work.envelope.results,
            edit=self._edit(work),
            memory=self.memory,
        )

    def _conversation(self, work: RoutedWork, whose: Whose, eyes: Eyes) -> StoredConversation:
        return StoredConversation(
            self.pool,
            teller=whose.me,
            thread_key=thread_key(work.envelope),
            subrequest_id=work.subrequest_id,
            replied=work.envelope.replied,
            seen=eyes.seen,
        )

    def _edit(self, work: RoutedWork) -> StoredVersions | None:
        told = work.envelope.supersedes
        return StoredVersions(self.pool, told, request_id=work.request_id) if told is not None else None
