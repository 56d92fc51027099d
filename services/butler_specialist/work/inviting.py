"""Decides what becomes of an invitation in a mail from the mail and the stored records, without a session (ADR 0105).

Invariants: a stranger's invitation is reported to the owner and never recorded; a member hears of theirs even if
their calendar's program sent it, since no machine would answer that; nothing is ever answered to the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.context import RequestContext
from butler_contracts.invitation import InvitationV1
from butler_contracts.language import Language
from butler_contracts.notify import DeliveryChannel, NotifyDelivery, NotifyRequestV1
from butler_contracts.text import plain_line
from butler_specialist.invited.decide import Inviter, Verdict, apart, decide
from butler_specialist.invited.facts import facts_of
from butler_specialist.invited.wording import (
    UNTITLED,
    beside_text,
    stranger_text,
    too_many_text,
    verdict_text,
)
from butler_specialist.locale import say
from butler_specialist.metrics import CalendarMetrics
from butler_specialist.people.eyes import Eyes
from butler_specialist.people.neighbours import neighbours_of
from butler_specialist.people.ways import Ways
from butler_specialist.remind.reach import channels_of
from butler_specialist.store.invitations import InvitationStore
from butler_specialist.store.model import Outcome, RecordDraft, RoutedWork, Telling, TellingDraft
from butler_specialist.store.visibility import Policy, Viewer
from butler_specialist.understanding.household import Whose, teller_key
from butler_specialist.understanding.whose_word import whose_word
from butler_specialist.work.answers import succeeded
from butler_specialist.work.tellings import MOST_TELLINGS, tellings_of

__all__ = ["Invitations"]

_FRESH: Final = timedelta(hours=24)
"""Older messages are history, which nobody is told about (D22)."""
_SUBJECT_CHARS: Final = 90


@dataclass(frozen=True, slots=True)
class Invitations:
    """Handles invitations.

    `store` is None for a butler without appointments, `ways` are a person's or household's.
    """

    own_name: str
    store: InvitationStore | None
    ways: Callable[[UUID | None], Ways]
    policy: Policy
    metrics: CalendarMetrics

    async def outcome(self, work: RoutedWork) -> Outcome | None:
        """Return the outcome of an invitation; None for any other work."""
        invitation, context = work.envelope.invitation, work.envelope.request_context
        if invitation is None or self.store is None:
            return None
        ways = self.ways(work.contact_id)
        if context.sender_class != "household":
            self.metrics.invited("stranger")
            facts = facts_of(invitation.events[0], ways.clock.zone)
            text = stranger_text(invitation, ways.clock.zone, ways.language, facts)
            return self._said(work, text, ways.language)
        if invitation.more:
            self.metrics.invited("too_many")
            return self._said(work, too_many_text(invitation, ways.language), ways.language)
        return self._done(work, await self._decided(work, invitation, self.store, ways), ways)

    async def _decided(
        self, work: RoutedWork, invitation: InvitationV1, store: InvitationStore, ways: Ways
    ) -> list[Verdict]:
        context = work.envelope.request_context
        inviter = _inviter(work, context)
        viewer = Viewer(inviter.key, self.policy, family=work.role != "guest")
        found: list[Verdict] = []
        each = [
            (event, kept)
            for event in invitation.events
            for kept in apart(event, invitation.method, await store.of(event.uid, viewer))
        ]
        for event, kept in each:
            verdict = decide(
                event,
                invitation.method,
                kept,
                inviter,
                zone_of=self._zone_of,
                untitled=say(ways.language, UNTITLED),
            )
            if verdict.change is None or verdict.change.record_id not in _changed(found):
                found.append(verdict)
        return found

    def _done(self, work: RoutedWork, verdicts: Sequence[Verdict], ways: Ways) -> Outcome:
        """Return the outcome with the records, the changes and the messages to others."""
        drafts = tuple(one.draft for one in verdicts if one.draft is not None)
        for one in verdicts:
            self.metrics.invited(one.what)
        texts = [self._words(one, work.contact_id, ways.language) for one in verdicts]
        invitation = work.envelope.invitation
        if invitation is not None:
            texts.append(beside_text(invitation, ways.language))
        said = " ".join(filter(None, texts))
        outcome = self._said(work, said, ways.language, drafts=_as_wished(work, drafts))
        changes = tuple(one.change for one in verdicts if one.change is not None)
        if changes:
            counts = {"records": len(drafts), "changes": len(changes)}
            outcome = replace(outcome, changes=changes, result={**(outcome.result or {}), **counts})
        return replace(outcome, tellings=self._tellings(work, verdicts, ways))

    def _zone_of(self, contact_id: UUID | None) -> ZoneInfo:
        return self.ways(contact_id).clock.zone

    def _words(self, verdict: Verdict, reader: UUID | None, language: Language) -> str:
        """Return the verdict in words, with each hour by the clock of who reads it."""
        zone = self._zone_of(reader)
        record = Eyes(reader, self._zone_of).seen(verdict.record) if verdict.record is not None else None
        return verdict_text(
            replace(verdict, facts=facts_of(verdict.event, zone), record=record), zone, language
        )

    def _said(
        self, work: RoutedWork, text: str, language: Language, *, drafts: tuple[RecordDraft, ...] = ()
    ) -> Outcome:
        outcome = succeeded(
            work.envelope,
            answer=text,
            records=drafts,
            own_name=self.own_name,
            language=language,
            sender=work.contact_name,
        )
        return outcome if outcome.notify is not None else self._told_later(work, outcome, text)

    def _told_later(self, work: RoutedWork, outcome: Outcome, text: str) -> Outcome:
        """Tell a member whose program sent the invitation.

        This is a new message, not an answer to the mail.
        """
        context = work.envelope.request_context
        fresh = work.now - work.said_at <= _FRESH
        if not (context.automatic and fresh and work.contact_id is not None):
            return outcome
        first, second = (
            self._request(work, text, channel) for channel in channels_of(work.people, work.contact_id)
        )
        return replace(outcome, notify=first, fallback=second)

    def _request(self, work: RoutedWork, text: str, channel: DeliveryChannel) -> NotifyRequestV1:
        delivery = NotifyDelivery(
            intent="send",
            channel=channel,
            message=text,
            contact_id=str(work.contact_id),
            subject=plain_line(text, most=_SUBJECT_CHARS) if channel == "email" else None,
            idempotency_key=f"invitation:{work.request_id}:{work.envelope.subrequest.segment_id}"[:512],
        )
        return NotifyRequestV1(origin_butler=self.own_name, delivery=delivery)

    def _tellings(self, work: RoutedWork, verdicts: Sequence[Verdict], ways: Ways) -> tuple[Telling, ...]:
        """Return the messages to members whose records somebody else's mail changes: one each, of all of theirs."""
        others = neighbours_of(work.people, work.contact_id, lambda contact: self.ways(contact).language)
        reached = {one.contact_id: one.language for one in others if one.channel is not None}
        told: dict[UUID, list[str]] = {}
        for one in verdicts:
            teller = one.record.contact_id if one.record is not None and one.change is not None else None
            if teller is not None and teller in reached and work.contact_name is not None:
                told.setdefault(teller, []).append(self._words(one, teller, reached[teller]))
        drafts = [TellingDraft(teller, "\n".join(words)) for teller, words in told.items()]
        return tellings_of(work, drafts[:MOST_TELLINGS], others, own_name=self.own_name, usual=ways.language)


def _inviter(work: RoutedWork, context: RequestContext) -> Inviter:
    address = context.source_sender_identity
    key = teller_key(work.contact_id, context.source_channel.value, address)
    return Inviter(key, address, work.contact_id)


def _changed(verdicts: Sequence[Verdict]) -> set[UUID]:
    return {one.change.record_id for one in verdicts if one.change is not None}


def _as_wished(work: RoutedWork, drafts: tuple[RecordDraft, ...]) -> tuple[RecordDraft, ...]:
    """Return the records, private where the mail says so; only a person's own words share anything."""
    context = work.envelope.request_context
    whose = Whose.of(
        work.people, work.contact_id, context.source_channel.value, context.source_sender_identity
    )
    said = whose_word(work.envelope.input.prompt, whose)
    return drafts if said is None else said.of_all(drafts)
