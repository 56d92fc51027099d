"""What the session of a subrequest may know besides its text, from the stores of this butler."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from butler_contracts.ingest import IngestAttachment, SourceChannel
from butler_kit.db import Pool
from butler_specialist.accept.validate import thread_key
from butler_specialist.people.eyes import Eyes, OfPersons, SeenRecords
from butler_specialist.people.keeper import People
from butler_specialist.people.neighbours import Neighbour, neighbours_of
from butler_specialist.profiles.answering import Answering, CalendarReader
from butler_specialist.remind.reach import reach_of
from butler_specialist.store.conversation import StoredConversation
from butler_specialist.store.former import StoredVersions
from butler_specialist.store.model import RoutedWork
from butler_specialist.store.reminder_model import ReminderReader
from butler_specialist.understanding.household import Whose

__all__ = ["Sources", "unopened_files"]


_DRAWN: Final = "image/"
"""In a mail such a file is most often a part of its layout."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where it comes from; `currency` is that of a sum that names none."""

    pool: Pool
    records: OfPersons
    reminders: ReminderReader
    people: People
    currency: str
    memory: bool = False
    calendar: CalendarReader | None = None

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
            files=_files(work),
            others=self._others(work),
            calendar=self.calendar,
        )

    def _others(self, work: RoutedWork) -> tuple[Neighbour, ...]:
        """Whom this message may have told something: nobody, unless these are the words of who is answered."""
        context = work.envelope.request_context
        if context.reply_policy != "allow" or context.automatic or work.envelope.rewritten:
            return ()
        return neighbours_of(
            work.people, work.contact_id, lambda contact_id: self.people.of(contact_id).language
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


def unopened_files(files: Iterable[IngestAttachment], *, by_mail: bool) -> tuple[str, ...]:
    """What came with a message beside its words, by name; a file without one is an empty name."""
    return tuple(
        file.filename or "" for file in files if not (by_mail and file.media_type.startswith(_DRAWN))
    )


def _files(work: RoutedWork) -> tuple[str, ...]:
    context = work.envelope.input.context
    by_mail = work.envelope.request_context.source_channel is SourceChannel.EMAIL
    return unopened_files(context.attachments if context is not None else (), by_mail=by_mail)
