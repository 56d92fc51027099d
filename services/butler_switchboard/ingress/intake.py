"""Takes one `ingest.v1` submission from its caller to the durable inbox and the hot queue (SWB-01, SWB-23, CNX-03, D3).

Order: parse, authorise the source, decide (sender, thread, triage, tier), write durably, offer to the buffer, answer.
After the durable write, only an outage while a conflicting payload is kept can fail the caller: it is asked to retry,
finds what was stored, and nothing that it submitted is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol
from uuid import UUID

import structlog

from butler_contracts.context import RequestContext
from butler_contracts.errors import ButlerError, OverloadRejected
from butler_contracts.ingest import IngestAcceptedResponse, IngestEnvelopeV1, PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.parse import parse_keeping_document
from butler_contracts.triage import TriageDecision, TriageRule, triage
from butler_kit.auth import Caller, Role, clamp_tier
from butler_kit.db import Pool, acquire
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import SpanName, span
from butler_kit.time import Clock
from butler_switchboard.dispatch.lifecycle import INTERACTIVE_CHANNELS, Lifecycle
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.context import Decisions, admission_row, request_context
from butler_switchboard.ingress.overflow import RETRY_AFTER_S, RETRY_WHILE_TIGHT_S, Overflow
from butler_switchboard.ingress.rows import AdmissionRow
from butler_switchboard.ingress.senders import SenderDecision, SenderPolicy, classify_sender
from butler_switchboard.ingress.submitters import authorize_submission
from butler_switchboard.ingress.threads import Threads
from butler_switchboard.ingress.writing import Writing, Written
from butler_switchboard.operations.audit import Audit, AuditEntry

__all__ = ["HotQueue", "Intake", "IntakeEvents", "IntakePolicy"]

_log = structlog.get_logger(__name__)

_TIERS: Final = frozenset(tier.value for tier in PolicyTier)


class HotQueue(Protocol):
    """The in-memory side of the buffer, as admission sees it."""

    def offer(self, item_id: UUID, lane: str, source: str) -> bool: ...


class AdmissionBound(Protocol):
    """The bound on the unfinished messages of each tier."""

    async def reserve(self, tier: PolicyTier, source: str) -> Overflow: ...

    def settle(self, tier: PolicyTier, source: str, *, queued: bool) -> None: ...

    async def wait_for_room(self, tier: PolicyTier) -> None: ...


class ShowsProgress(Protocol):
    """Shows a person that the message has been seen; it returns at once and never fails."""

    def show(self, context: RequestContext, state: Lifecycle) -> None: ...


class IntakeEvents(Protocol):
    """The metrics events of admission (SWB-42.1, SWB-41.1)."""

    def progressed(self) -> None: ...

    def accepted(self, row: AdmissionRow, *, strategy: str, duplicate: bool, seconds: float) -> None: ...

    def refused(self, channel: str, error_class: str) -> None: ...

    def overload_rejected(self, channel: str) -> None: ...

    def tier_lowered(self, channel: str) -> None: ...

    def tier_unknown(self, channel: str) -> None: ...

    def triaged(self, decision: str, rule_type: str) -> None: ...

    def conflict(self, channel: str) -> None: ...


class BackfillJobs(Protocol):
    """The known jobs, and whose history each reads (D34)."""

    async def check(self, job_id: UUID, connector_type: str | None, endpoint_identity: str) -> None: ...


@dataclass(frozen=True)
class IntakePolicy:
    """What the household configured about accepting messages."""

    rules: Sequence[TriageRule] = ()
    senders: SenderPolicy = field(default_factory=SenderPolicy)
    new_request_on_conflict: frozenset[str] = frozenset()
    thread_affinity: bool = False
    """Whether a mail goes to the butler of its thread, whatever the rules say (CNX-05.1)."""


class Intake:
    """Accepts submissions; one instance per process. `mailbox` tells whose mail Messenger may submit."""

    def __init__(
        self,
        *,
        pool: Pool,
        admission: Admission,
        contacts: Contacts,
        queue: HotQueue,
        backlog: AdmissionBound,
        reactions: ShowsProgress,
        policy: IntakePolicy,
        events: IntakeEvents,
        clock: Clock,
        new_id: Callable[[], UUID],
        backfills: BackfillJobs,
        audit: Audit,
        mailbox: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._pool = pool
        self._writing = Writing(
            pool=pool,
            admission=admission,
            new_request_on_conflict=policy.new_request_on_conflict,
            conflict=events.conflict,
        )
        self._contacts = contacts
        self._threads = Threads(pool, on=policy.thread_affinity)
        self._queue = queue
        self._backlog = backlog
        self._reactions = reactions
        self._policy = policy
        self._events = events
        self._clock = clock
        self._new_id = new_id
        self._backfills = backfills
        self._audit = audit
        self._mailbox = mailbox

    async def ingest(self, caller: Caller, data: Mapping[str, Any] | str | bytes) -> IngestAcceptedResponse:
        """Accept one envelope durably.

        Raises `ValidationFailed`, `Forbidden`, `OverloadRejected`, `TargetUnavailable`.
        """
        channel = "unknown"
        try:
            envelope, document = parse_keeping_document(IngestEnvelopeV1, data)
            channel = envelope.source.channel.value
            with span(SpanName.INGEST, channel=channel):
                return await self._accept(caller, envelope, document.decode())
        except ButlerError as refusal:
            self._events.refused(channel, refusal.error_class.value)
            raise

    async def _accept(
        self, caller: Caller, envelope: IngestEnvelopeV1, document: str
    ) -> IngestAcceptedResponse:
        started = self._clock.monotonic()
        decisions = await self._decide(caller, envelope)
        row = admission_row(envelope, self._new_id(), decisions, document=document)
        if caller.role is Role.OPERATOR:
            await self._record(caller, row)
        written = await self._admit(envelope, row, decisions)
        admitted = written.admitted
        if written.known.conflict:
            await self._writing.keep_conflict(envelope, row, written)
        await reached_async(points.INGEST_BEFORE_ANSWER)
        self._events.accepted(
            row,
            strategy=decisions.key.strategy,
            duplicate=admitted.duplicate,
            seconds=self._clock.monotonic() - started,
        )
        _log.info(
            "message_admitted",
            request_id=str(admitted.request_id),
            dedupe_key=row.dedupe_key,
            dedupe_strategy=decisions.key.strategy,
            action="deduped" if admitted.duplicate else "accepted",
        )
        return IngestAcceptedResponse(
            request_id=admitted.request_id,
            duplicate=admitted.duplicate,
            triage_decision=decisions.triage.action.value,
            triage_target=decisions.triage.target,
        )

    async def _decide(self, caller: Caller, envelope: IngestEnvelopeV1) -> Decisions:
        authorize_submission(caller, envelope, mailbox=self._mailbox())
        await self._check_backfill(caller, envelope)
        book = await self._contacts.book()
        vouched, now = caller.role is Role.OPERATOR, self._clock.now()
        sender = classify_sender(envelope, book, self._policy.senders, now=now, vouched=vouched)
        return Decisions(
            key=dedupe_key(envelope),
            sender=sender,
            triage=await self._triage(envelope, sender, now),
            policy_tier=self._tier(caller, envelope),
        )

    async def _triage(
        self, envelope: IngestEnvelopeV1, sender: SenderDecision, now: datetime
    ) -> TriageDecision:
        """Triage an envelope; the butler of its thread comes before every rule (CNX-05.1)."""
        triaged = await self._threads.decision(envelope, sender, now) or triage(envelope, self._policy.rules)
        self._events.triaged(triaged.action.value, triaged.rule_type or "")
        return triaged

    async def _check_backfill(self, caller: Caller, envelope: IngestEnvelopeV1) -> None:
        job_id = envelope.control.backfill_job_id
        if job_id is not None:
            kind = caller.connector.connector_type if caller.connector else None
            await self._backfills.check(job_id, kind, envelope.source.endpoint_identity)

    def _tier(self, caller: Caller, envelope: IngestEnvelopeV1) -> PolicyTier:
        if envelope.control.backfill_job_id is not None or caller.role is Role.BUTLER:
            return PolicyTier.DEFAULT
        asked = envelope.control.policy_tier
        if asked not in _TIERS:
            self._events.tier_unknown(envelope.source.channel.value)
            _log.warning("unknown_policy_tier", asked=asked, tier=PolicyTier.DEFAULT.value)
            return PolicyTier.DEFAULT
        tier, lowered = clamp_tier(caller, asked)
        if lowered:
            self._events.tier_lowered(envelope.source.channel.value)
        return PolicyTier(tier)

    async def _admit(self, envelope: IngestEnvelopeV1, row: AdmissionRow, decisions: Decisions) -> Written:
        """Write a message within its tier's bound, or without one if it is only recorded."""
        if row.lifecycle_state != "accepted":
            return await self._writing.write(envelope, row)
        tier = decisions.policy_tier
        verdict = await self._backlog.reserve(tier, row.source)
        if verdict.refuses:
            raise self._refusal(verdict, tier, row)
        queued = False
        try:
            if verdict is Overflow.DEFER:
                await self._backlog.wait_for_room(tier)
            written = await self._writing.write(envelope, row)
            queued = not written.admitted.duplicate
        finally:
            self._backlog.settle(tier, row.source, queued=queued)
        if queued:
            self._show_progress(envelope, written.admitted.request_id, decisions)
        if queued and not row.delay_s and verdict is not Overflow.DEFER:
            self._queue.offer(written.admitted.request_id, row.policy_tier, row.source)
        return written

    def _refusal(self, verdict: Overflow, tier: PolicyTier, row: AdmissionRow) -> OverloadRejected:
        if verdict is Overflow.TIGHT:
            return OverloadRejected(
                f"tier {tier.value} may have fewer unfinished messages while too much is late or fails; the message "
                "was not accepted",
                retry_after_s=RETRY_WHILE_TIGHT_S,
            )
        self._events.overload_rejected(row.channel)
        return OverloadRejected(
            f"tier {tier.value} has all the unfinished messages that it may have; the message was not accepted",
            retry_after_s=RETRY_AFTER_S,
        )

    def _show_progress(self, envelope: IngestEnvelopeV1, request_id: UUID, decisions: Decisions) -> None:
        """Show at once, and once, that it has arrived, however long the queue is (SWB-08.1)."""
        if envelope.source.channel not in INTERACTIVE_CHANNELS:
            return
        self._events.progressed()
        if envelope.event.supersedes is None:  # an edit of a finished message must not hide its check mark
            self._reactions.show(request_context(envelope, request_id, decisions), Lifecycle.PROGRESS)

    async def _record(self, caller: Caller, row: AdmissionRow) -> None:
        """Audit an operator's submission before it is admitted, so that none lacks its entry (D4, D88)."""
        entry = AuditEntry(
            butler="switchboard",
            actor=caller.subject,
            operation="message.submit",
            request_id=row.request_id,
            subject=row.sender_identity,
            summary=f"typed by an operator as a message by {row.channel} (via: operator)",
            result="submitted",
        )
        async with acquire(self._pool, doing="writing the audit") as connection:
            await self._audit.record_in(connection, entry)
