"""Turns an accepted envelope and the decisions about it into the request context and the inbox row (pure; CNX-04.1)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_contracts.ingest import IngestEnvelopeV1, IngestionTier, PolicyTier
from butler_contracts.keys import DedupeKey, payload_fingerprint
from butler_contracts.triage import TriageAction, TriageDecision, ingestion_tier_for
from butler_kit.time import uuid7_timestamp
from butler_switchboard.ingress.rows import AdmissionRow
from butler_switchboard.ingress.senders import SenderDecision

__all__ = ["Decisions", "admission_row", "request_context", "retagged"]

_SKIPPED_TEXT = "[not kept: a rule skips it]"
LOW_PRIORITY_DELAY_S = 30.0
"""How long a `low_priority_queue` message lets everything else go first (CNX-05.3)."""


@dataclass(frozen=True)
class Decisions:
    """Everything that was decided about an envelope before the durable write."""

    key: DedupeKey
    sender: SenderDecision
    triage: TriageDecision
    policy_tier: PolicyTier


def request_context(envelope: IngestEnvelopeV1, request_id: UUID, decisions: Decisions) -> RequestContext:
    """Return the canonical context; `received_at` is the id's own millisecond (D13)."""
    triage = decisions.triage
    return RequestContext(
        request_id=request_id,
        received_at=uuid7_timestamp(request_id),
        source_channel=envelope.source.channel,
        source_endpoint_identity=envelope.source.endpoint_identity,
        source_sender_identity=envelope.sender.identity,
        source_thread_identity=envelope.event.external_thread_id,
        source_message_identity=envelope.event.external_message_id,
        idempotency_key=envelope.control.idempotency_key,
        trace_context=envelope.control.trace_context,
        ingestion_tier=ingestion_tier_for(triage.action, envelope.control.ingestion_tier),
        policy_tier=decisions.policy_tier,
        dedupe_key=decisions.key.key,
        dedupe_strategy="connector_api",
        triage_decision=triage.action.value,
        triage_target=triage.target,
        triage_rule_id=triage.rule_id,
        triage_rule_type=triage.rule_type,
        reply_policy=decisions.sender.reply_policy,
        sender_class=decisions.sender.sender_class,
        automatic=decisions.sender.automatic,
    )


def admission_row(
    envelope: IngestEnvelopeV1, request_id: UUID, decisions: Decisions, *, document: str | None = None
) -> AdmissionRow:
    """Return the row to store: metadata-tier and skipped messages are recorded at once and never queued (D10).

    Of a message that a rule skips, only the sender and the arrival are kept.

    `document` is the envelope as it was sent, if it is at hand.
    """
    context = request_context(envelope, request_id, decisions)
    recorded = context.ingestion_tier is IngestionTier.METADATA
    skipped = decisions.triage.action is TriageAction.SKIP
    deferred = decisions.triage.action is TriageAction.LOW_PRIORITY_QUEUE
    return AdmissionRow(
        request_id=request_id,
        received_at=context.received_at,
        dedupe_key=decisions.key.key,
        previous_key=decisions.key.previous_bucket_key,
        fingerprint=payload_fingerprint(envelope),
        schema_version=envelope.schema_version,
        channel=envelope.source.channel.value,
        provider=envelope.source.provider.value,
        endpoint_identity=envelope.source.endpoint_identity,
        sender_identity=envelope.sender.identity,
        thread_identity=envelope.event.external_thread_id,
        external_event_id=envelope.event.external_event_id,
        external_message_id=envelope.event.external_message_id,
        supersedes=envelope.event.supersedes,
        policy_tier=context.policy_tier.value,
        ingestion_tier=context.ingestion_tier.value,
        sender_class=context.sender_class,
        reply_policy=context.reply_policy,
        context_json=context.model_dump_json(by_alias=True),
        raw_json=_stored_envelope(envelope, context.ingestion_tier, document, skipped=skipped),
        text=_SKIPPED_TEXT if skipped else envelope.payload.normalized_text,
        lifecycle_state="recorded" if recorded else "accepted",
        delay_s=LOW_PRIORITY_DELAY_S if deferred else 0.0,
        backfill_job_id=envelope.control.backfill_job_id,
    )


def retagged(row: AdmissionRow, key: str) -> AdmissionRow:
    """Return the row under another dedupe key, in its context as well."""
    context = RequestContext.model_validate_json(row.context_json).model_copy(update={"dedupe_key": key})
    return row._replace(
        dedupe_key=key, previous_key=None, context_json=context.model_dump_json(by_alias=True)
    )


def _stored_envelope(
    envelope: IngestEnvelopeV1, tier: IngestionTier, document: str | None, *, skipped: bool
) -> str:
    if not skipped and document is not None and tier is envelope.control.ingestion_tier:
        return document
    wire = envelope.to_wire()
    if tier is IngestionTier.METADATA:
        wire["payload"]["raw"] = None
    if skipped:
        wire["payload"].update(normalized_text=_SKIPPED_TEXT, attachments=[])
    return json.dumps(wire, ensure_ascii=False, separators=(",", ":"))
