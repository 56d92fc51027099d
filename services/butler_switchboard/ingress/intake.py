"""Takes one `ingest.v1` submission from its caller to the durable inbox and the hot queue (SWB-01, SWB-23, CNX-03, D3).

Order: parse, authorise the source, decide (triage, sender, tier), write durably, answer, offer to the buffer. Nothing
after the durable write can fail the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from uuid import UUID

import structlog

from butler_contracts.errors import ButlerError, OverloadRejected
from butler_contracts.ingest import (
    TYPED_EVENT_PREFIX,
    IngestAcceptedResponse,
    IngestEnvelopeV1,
    PolicyTier,
)
from butler_contracts.keys import DedupeKey, dedupe_key
from butler_contracts.parse import parse_keeping_document
from butler_kit.auth import Caller, Forbidden, Role, authorize_connector, clamp_tier
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import SpanName, span
from butler_kit.time import Clock
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.overflow import RETRY_AFTER_S, Overflow, OverflowPolicy, on_overflow
from butler_switchboard.ingress.rows import AdmissionRow, Admitted
from butler_switchboard.ingress.senders import SenderPolicy, classify_sender
from butler_switchboard.ingress.triage import TriageRule, triage
from butler_switchboard.operations.audit import Audit, AuditEntry

__all__ = ["HotQueue", "Intake", "IntakeEvents", "IntakePolicy"]

_SQL = NamedQueries("butler_switchboard", "sql/ingress.sql")
_log = structlog.get_logger(__name__)

CONNECTOR_SOURCES: Final[Mapping[str, tuple[str, str]]] = {
    "telegram_bot": ("telegram", "telegram"),
    "imap": ("email", "imap"),
    "gmail": ("email", "gmail"),
    "webhook": ("api", "internal"),
    "mcp": ("mcp", "internal"),
}
"""Which channel and provider a connector type may submit for (D3)."""


class HotQueue(Protocol):
    """The in-memory side of the buffer, as admission sees it."""

    def offer(self, item_id: UUID, lane: str, source: str) -> bool: ...

    def all_full(self) -> bool: ...


class IntakeEvents(Protocol):
    """What admission tells the metrics (SWB-42.1, SWB-41.1)."""

    def accepted(self, row: AdmissionRow, *, strategy: str, duplicate: bool, seconds: float) -> None: ...

    def refused(self, channel: str, error_class: str) -> None: ...

    def overflowed(self, channel: str) -> None: ...

    def tier_lowered(self, channel: str) -> None: ...

    def triaged(self, decision: str, rule_type: str) -> None: ...

    def conflict(self, channel: str) -> None: ...


class BackfillJobs(Protocol):
    """Which jobs there are, and whose history each reads (D34)."""

    async def check(self, job_id: UUID, connector_type: str | None, endpoint_identity: str) -> None: ...


@dataclass(frozen=True)
class IntakePolicy:
    """What the household configured about accepting messages."""

    rules: Sequence[TriageRule] = ()
    senders: SenderPolicy = field(default_factory=SenderPolicy)
    overflow: OverflowPolicy = OverflowPolicy.REJECT
    new_request_on_conflict: frozenset[str] = frozenset()


class Intake:
    """Accepts submissions; one instance a process."""

    def __init__(
        self,
        *,
        pool: Pool,
        admission: Admission,
        contacts: Contacts,
        queue: HotQueue,
        policy: IntakePolicy,
        events: IntakeEvents,
        clock: Clock,
        new_id: Callable[[], UUID],
        backfills: BackfillJobs,
        audit: Audit,
    ) -> None:
        self._pool = pool
        self._admission = admission
        self._contacts = contacts
        self._queue = queue
        self._policy = policy
        self._events = events
        self._clock = clock
        self._new_id = new_id
        self._backfills = backfills
        self._audit = audit

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
        self._admit_or_refuse(envelope, decisions)
        row = admission_row(envelope, self._new_id(), decisions, document=document)
        if caller.role is Role.OPERATOR:
            await self._record(caller, row)
        admitted = await self._admission.submit(row)
        if admitted.conflict:
            admitted = await self._on_conflict(envelope, row, admitted)
        self._queue_if_new(row, admitted)
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
        self._authorize(caller, envelope)
        await self._check_backfill(caller, envelope)
        book = await self._contacts.book()
        triaged = triage(envelope, self._policy.rules)
        self._events.triaged(triaged.action.value, triaged.rule_type.value if triaged.rule_type else "")
        return Decisions(
            key=dedupe_key(envelope),
            sender=classify_sender(
                envelope,
                book,
                self._policy.senders,
                now=self._clock.now(),
                vouched=caller.role is Role.OPERATOR,
            ),
            triage=triaged,
            policy_tier=self._tier(caller, envelope),
        )

    def _authorize(self, caller: Caller, envelope: IngestEnvelopeV1) -> None:
        if caller.role is Role.OPERATOR:
            _only_what_was_typed(caller, envelope)
            return
        kind = caller.connector.connector_type if caller.connector else ""
        authorize_connector(caller, kind, envelope.source.endpoint_identity)
        allowed = CONNECTOR_SOURCES.get(kind)
        if allowed != (envelope.source.channel.value, envelope.source.provider.value):
            raise Forbidden(
                f"'{caller.subject}' is a {kind} connector; it submits for "
                f"{'/'.join(allowed) if allowed else 'no known source'}, not for "
                f"{envelope.source.channel}/{envelope.source.provider}"
            )

    async def _check_backfill(self, caller: Caller, envelope: IngestEnvelopeV1) -> None:
        job_id = envelope.control.backfill_job_id
        if job_id is not None:
            kind = caller.connector.connector_type if caller.connector else None
            await self._backfills.check(job_id, kind, envelope.source.endpoint_identity)

    def _tier(self, caller: Caller, envelope: IngestEnvelopeV1) -> PolicyTier:
        if envelope.control.backfill_job_id is not None:
            return PolicyTier.DEFAULT
        tier, lowered = clamp_tier(caller, envelope.control.policy_tier.value)
        if lowered:
            self._events.tier_lowered(envelope.source.channel.value)
        return PolicyTier(tier)

    def _admit_or_refuse(self, envelope: IngestEnvelopeV1, decisions: Decisions) -> None:
        verdict = on_overflow(self._policy.overflow, decisions.policy_tier, all_full=self._queue.all_full())
        if verdict is Overflow.REJECT:
            self._events.overflowed(envelope.source.channel.value)
            raise OverloadRejected(
                "every queue is full; the message was not accepted", retry_after_s=RETRY_AFTER_S
            )

    async def _record(self, caller: Caller, row: AdmissionRow) -> None:
        """Before it is admitted: nothing comes in on an operator's word without its entry (D4, D88)."""
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

    def _queue_if_new(self, row: AdmissionRow, admitted: Admitted) -> None:
        if not admitted.duplicate and row.lifecycle_state == "accepted" and not row.delay_s:
            self._queue.offer(admitted.request_id, row.policy_tier, row.channel)

    async def _on_conflict(self, envelope: IngestEnvelopeV1, row: AdmissionRow, known: Admitted) -> Admitted:
        """Same key, other content (D7): keep the payload; a source may ask for a new, tagged request instead."""
        self._events.conflict(row.channel)
        outcome = known
        if row.endpoint_identity in self._policy.new_request_on_conflict:
            tagged = DedupeKey(f"{row.dedupe_key}#conflict:{row.fingerprint[:16]}", "idempotency_key")
            outcome = await self._admission.submit(row._replace(dedupe_key=tagged.key, previous_key=None))
        async with acquire(self._pool, doing="keeping a conflicting payload") as connection:
            await connection.execute(
                _SQL["record_conflict"],
                row.dedupe_key,
                known.request_id,
                row.fingerprint,
                envelope.to_wire(),
                outcome.request_id if outcome is not known else None,
            )
        return outcome


def _only_what_was_typed(caller: Caller, envelope: IngestEnvelopeV1) -> None:
    """An operator submits messages that a person typed, and speaks for no source: those have connectors (D88)."""
    source = (envelope.source.channel.value, envelope.source.provider.value)
    if source not in CONNECTOR_SOURCES.values():
        raise Forbidden(f"no connector submits for {'/'.join(source)}, so no operator does")
    if (
        not envelope.event.external_event_id.startswith(TYPED_EVENT_PREFIX)
        or envelope.control.backfill_job_id
    ):
        raise Forbidden(
            f"'{caller.subject}' is an operator and submits only what a person typed (`butlers send`; its event ids "
            f"begin with '{TYPED_EVENT_PREFIX}'); a source's events, and its history, come with its connector's token"
        )
