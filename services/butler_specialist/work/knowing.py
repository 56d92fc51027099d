"""What a subrequest's session may know besides its text, from the stores of this butler."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from butler_contracts.groups import is_of_several
from butler_contracts.ingest import IngestAttachment, SourceChannel
from butler_kit.db import Pool
from butler_specialist.accept.validate import thread_key
from butler_specialist.memory.spoken import StoredEpisodes
from butler_specialist.people.eyes import Eyes, OfPersons, SeenRecords
from butler_specialist.people.groups import OfThread, ThreadReminders
from butler_specialist.people.keeper import People
from butler_specialist.people.neighbours import Neighbour, neighbours_of
from butler_specialist.profiles.answering import Answering, CalendarReader
from butler_specialist.remind.reach import reach_of
from butler_specialist.store.conversation import StoredConversation
from butler_specialist.store.earlier import NO_CONVERSATION, Conversation
from butler_specialist.store.former import StoredVersions
from butler_specialist.store.model import RoutedWork
from butler_specialist.store.visibility import Policy, Viewer
from butler_specialist.understanding.household import Whose

__all__ = ["Sources", "unopened_files"]


_DRAWN: Final = "image/"
"""In a mail an image is usually part of the layout."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The stores that a session reads.

    `currency` is the default for sums that name none; `policy` decides whose a record is.
    """

    pool: Pool
    records: OfPersons
    reminders: ThreadReminders
    people: People
    currency: str
    policy: Policy
    memory: bool = False
    calendar: CalendarReader | None = None

    def answering(self, work: RoutedWork) -> Answering:
        """Return what the sender may know, by their clock and in their language."""
        context = work.envelope.request_context
        ways, eyes = self.people.of(work.contact_id), Eyes(work.contact_id, self.people.zone_of)
        whose = Whose.of(
            work.people, work.contact_id, context.source_channel.value, context.source_sender_identity
        )
        in_group = is_of_several(context)
        own = Viewer(whose.me, self.policy, family=work.role != "guest")
        seen = replace(own, person=None) if in_group else own
        return Answering(
            moment=work.said_at.astimezone(ways.clock.zone),
            household=context.sender_class == "household",
            whose=whose,
            records=SeenRecords(self.records, eyes, seen),
            own=SeenRecords(self.records, eyes, own),
            in_group=in_group,
            policy=self.policy,
            kept=eyes.kept,
            currency=self.currency,
            conversation=self._conversation(work, own, eyes, in_group=in_group),
            reminders=OfThread(self.reminders, thread_key(work.envelope)) if in_group else self.reminders,
            asker=work.asker,
            quiet=ways.clock.quiet,
            usual=ways.language,
            reachable=reach_of(context, work.people) is not None,
            together=work.envelope.together,
            results=work.envelope.results,
            edit=self._edit(work, whose),
            memory=self.memory,
            files=_files(work),
            own_reminders=self.reminders,
            others=self._others(work),
            me=self._me(work),
            # A guest sees what they told and what was shared with them by name.
            calendar=self.calendar if work.role != "guest" else None,
            spoken=self._spoken(work, whose.me, in_group=in_group),
        )

    def _spoken(self, work: RoutedWork, person: str, *, in_group: bool) -> StoredEpisodes | None:
        if not self.memory:
            return None
        return StoredEpisodes(self.pool, person, (thread_key(work.envelope) or "") if in_group else None)

    def _others(self, work: RoutedWork) -> tuple[Neighbour, ...]:
        """Return the members this message may tell something.

        None unless it is in the answered person's own words.
        """
        context = work.envelope.request_context
        if context.reply_policy != "allow" or context.automatic or work.envelope.rewritten:
            return ()
        return neighbours_of(
            work.people, work.contact_id, lambda contact_id: self.people.of(contact_id).language
        )

    def _me(self, work: RoutedWork) -> Neighbour | None:
        """Return the sender as a recipient in their own chat; None where nobody may be answered."""
        context = work.envelope.request_context
        if context.reply_policy != "allow" or context.automatic or work.people is None:
            return None
        language = self.people.of(work.contact_id).language
        own = (one for one in work.people.members if one.contact_id == work.contact_id)
        return next((Neighbour.of(one, language) for one in own), None)

    def _conversation(self, work: RoutedWork, own: Viewer, eyes: Eyes, *, in_group: bool) -> Conversation:
        """Return the conversation before this message; a scheduled task has none."""
        if work.scheduled is not None:
            return NO_CONVERSATION
        return StoredConversation(
            self.pool,
            viewer=own,
            in_group=in_group,
            teller=own.person or "",
            thread_key=thread_key(work.envelope),
            subrequest_id=work.subrequest_id,
            replied=work.envelope.replied,
            seen=eyes.seen,
        )

    def _edit(self, work: RoutedWork, whose: Whose) -> StoredVersions | None:
        told = work.envelope.supersedes
        if told is None:
            return None
        return StoredVersions(self.pool, told, request_id=work.request_id, person=whose.me)


def unopened_files(files: Iterable[IngestAttachment], *, by_mail: bool) -> tuple[str, ...]:
    """Return the names of the files that came with a message; a file without a name gives an empty one."""
    return tuple(
        file.filename or "" for file in files if not (by_mail and file.media_type.startswith(_DRAWN))
    )


def _files(work: RoutedWork) -> tuple[str, ...]:
    context = work.envelope.input.context
    by_mail = work.envelope.request_context.source_channel is SourceChannel.EMAIL
    return unopened_files(context.attachments if context is not None else (), by_mail=by_mail)
