"""`ingest.v1`: what it holds and what it refuses, rule by rule."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from butler_contracts.ingest import (
    IngestEnvelopeV1,
    IngestionTier,
    IngestSourceV1,
    PolicyTier,
    SourceChannel,
    SourceProvider,
)
from butler_contracts.parse import ContractViolation, parse
from tests.unit.contracts import envelopes as make
from tests.unit.contracts.envelopes import MISSING, changed

PARTS = ("source", "event", "sender", "payload", "control")


def refused_at(data: dict[str, Any]) -> str:
    with pytest.raises(ContractViolation) as caught:
        parse(IngestEnvelopeV1, data)
    return caught.value.problems[0].path


@pytest.mark.spec("CNX-02.1", "SWB-23.1")
def test_an_envelope_is_its_version_and_five_parts() -> None:
    envelope = parse(IngestEnvelopeV1, make.ingest())
    assert set(envelope.to_wire()) == {"schema_version", *PARTS}
    for part in ("schema_version", *PARTS):
        assert refused_at(changed(make.ingest(), part, MISSING)) == part
    assert refused_at(changed(make.ingest(), "schema_version", "ingest.v0")) == "schema_version"
    assert set(envelope.source.to_wire()) == {"channel", "provider", "endpoint_identity"}
    assert {"external_event_id", "external_thread_id", "observed_at"} <= set(envelope.event.to_wire())
    assert "identity" in envelope.sender.to_wire()
    assert {"raw", "normalized_text"} <= set(envelope.payload.to_wire())
    assert {"idempotency_key", "trace_context", "policy_tier"} <= set(envelope.control.to_wire())


@pytest.mark.spec("CNX-02.2")
def test_a_source_is_a_known_channel_a_known_provider_and_a_named_endpoint() -> None:
    assert {channel.value for channel in SourceChannel} == {"telegram", "slack", "email", "api", "mcp"}
    assert {who.value for who in SourceProvider} == {"telegram", "slack", "gmail", "imap", "internal"}
    source = parse(IngestEnvelopeV1, make.ingest()).source
    assert (source.channel, source.provider) == (SourceChannel.TELEGRAM, SourceProvider.TELEGRAM)
    assert source.endpoint_identity == "telegram:bot:home"
    for field in ("channel", "provider", "endpoint_identity"):
        assert refused_at(changed(make.ingest(), f"source.{field}", "")) == f"source.{field}"


@pytest.mark.spec("CNX-02.3")
def test_only_the_five_pairs_of_channel_and_provider_are_accepted() -> None:
    valid = {
        ("telegram", "telegram"),
        ("email", "gmail"),
        ("email", "imap"),
        ("api", "internal"),
        ("mcp", "internal"),
    }
    accepted = set()
    for channel in SourceChannel:
        for provider in SourceProvider:
            try:
                IngestSourceV1(channel=channel, provider=provider, endpoint_identity="e")
            except ValidationError:
                continue
            accepted.add((channel.value, provider.value))
    assert accepted == valid


def test_slack_is_refused_with_an_error_that_says_so() -> None:
    slack = changed(changed(make.ingest(), "source.channel", "slack"), "source.provider", "slack")
    with pytest.raises(ContractViolation, match="'slack' is not supported yet"):
        parse(IngestEnvelopeV1, slack)


@pytest.mark.spec("CNX-02.4")
def test_an_event_has_a_stable_id_an_optional_thread_and_an_aware_moment() -> None:
    event = parse(
        IngestEnvelopeV1, changed(make.ingest(), "event.observed_at", "2026-03-01T10:30:00+01:00")
    ).event
    assert event.external_event_id == "901"
    assert event.observed_at == datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    without_thread = parse(IngestEnvelopeV1, changed(make.ingest(), "event.external_thread_id", MISSING))
    assert without_thread.event.external_thread_id is None
    assert refused_at(changed(make.ingest(), "event.external_event_id", "")) == "event.external_event_id"
    assert refused_at(changed(make.ingest(), "event.external_event_id", MISSING)) == "event.external_event_id"
    assert refused_at(changed(make.ingest(), "event.external_thread_id", "")) == "event.external_thread_id"
    assert (
        refused_at(changed(make.ingest(), "event.observed_at", "2026-03-01T09:30:00")) == "event.observed_at"
    )


def test_an_edit_names_the_message_that_it_supersedes() -> None:
    edit = parse(IngestEnvelopeV1, changed(make.ingest(), "event.supersedes", "12"))
    assert edit.event.supersedes == "12"


@pytest.mark.spec("CNX-02.5")
def test_a_sender_is_somebody() -> None:
    assert parse(IngestEnvelopeV1, make.ingest()).sender.identity == "4711"
    for nobody in ("", "   ", None, 4711, MISSING):
        assert refused_at(changed(make.ingest(), "sender.identity", nobody)) == "sender.identity"


@pytest.mark.spec("CNX-02.6", "CNX-02.9")
def test_the_payload_goes_with_the_ingestion_tier() -> None:
    full = parse(IngestEnvelopeV1, make.ingest())
    assert full.payload.raw == make.ingest()["payload"]["raw"]
    assert isinstance(full.payload.attachments, tuple)
    assert refused_at(changed(make.ingest(), "payload.raw", None)) == "payload.raw"
    assert refused_at(changed(make.ingest(), "payload.raw", MISSING)) == "payload.raw"
    assert refused_at(changed(make.ingest(), "payload.raw", [])) == "payload.raw"
    tier_2 = changed(make.ingest(), "control.ingestion_tier", "metadata")
    assert refused_at(tier_2) == "payload.raw"
    summary = parse(IngestEnvelopeV1, changed(tier_2, "payload.raw", None))
    assert summary.payload.raw is None
    body = changed(changed(tier_2, "payload.raw", None), "payload.normalized_text", "x" * 2_001)
    assert refused_at(body) == "payload.normalized_text"
    assert refused_at(changed(make.ingest(), "payload.normalized_text", "")) == "payload.normalized_text"
    bare = parse(IngestEnvelopeV1, changed(make.ingest(), "payload.attachments", MISSING))
    assert bare.payload.attachments == ()


def test_text_of_blanks_is_left_to_admission() -> None:
    assert parse(
        IngestEnvelopeV1, changed(make.ingest(), "payload.normalized_text", " \n")
    ).payload.normalized_text


@pytest.mark.spec("CNX-02.7")
def test_an_attachment_is_metadata_with_a_reference() -> None:
    small = parse(IngestEnvelopeV1, make.ingest()).payload.attachments[0]
    assert (small.media_type, small.storage_ref, small.size_bytes) == ("image/png", "tg:file:9", 2048)
    assert (small.filename, small.width, small.height) == (None, None, None)
    whole = {**make.ingest()["payload"]["attachments"][0], "filename": "a.png", "width": 1280, "height": 960}
    full = parse(
        IngestEnvelopeV1, changed(make.ingest(), "payload.attachments", [whole])
    ).payload.attachments[0]
    assert (full.filename, full.width, full.height) == ("a.png", 1280, 960)
    for field in ("media_type", "storage_ref", "size_bytes"):
        path = f"payload.attachments.0.{field}"
        assert refused_at(changed(make.ingest(), path, MISSING)) == f"payload.attachments[0].{field}"
    for field, wrong in (
        ("media_type", "png"),
        ("storage_ref", ""),
        ("size_bytes", -1),
        ("size_bytes", "2048"),
    ):
        path = f"payload.attachments.0.{field}"
        assert refused_at(changed(make.ingest(), path, wrong)) == f"payload.attachments[0].{field}"


@pytest.mark.spec("CNX-02.8")
def test_control_has_a_key_tracing_and_two_tiers() -> None:
    control = parse(IngestEnvelopeV1, make.ingest()).control
    assert (control.idempotency_key, control.trace_context) == (None, {})
    assert (control.policy_tier, control.ingestion_tier) == (PolicyTier.INTERACTIVE, IngestionTier.FULL)
    assert {tier.value for tier in PolicyTier} == {"default", "interactive", "high_priority"}
    assert {tier.value for tier in IngestionTier} == {"full", "metadata"}
    keyed = changed(make.ingest(), "control.idempotency_key", "order-7")
    traced = changed(keyed, "control.trace_context", {"traceparent": "00-1-2-01"})
    control = parse(IngestEnvelopeV1, traced).control
    assert (control.idempotency_key, control.trace_context) == ("order-7", {"traceparent": "00-1-2-01"})
    unknown = parse(IngestEnvelopeV1, changed(make.ingest(), "control.policy_tier", "soon"))
    assert unknown.control.policy_tier == "soon"
    assert refused_at(changed(make.ingest(), "control.policy_tier", 1)) == "control.policy_tier"
    assert refused_at(changed(make.ingest(), "control.ingestion_tier", "skip")) == "control.ingestion_tier"


def test_raw_of_exactly_the_bound_is_accepted_and_one_byte_more_is_not() -> None:
    exact = {"a": "ä" * ((256 * 1024 - len('{"a":""}')) // 2)}
    parse(IngestEnvelopeV1, changed(make.ingest(), "payload.raw", exact))
    more = {"a": exact["a"] + "x"}
    assert refused_at(changed(make.ingest(), "payload.raw", more)) == "payload.raw"


def test_a_model_built_in_python_is_checked_like_one_from_outside() -> None:
    data = changed(make.ingest(), "payload.raw", {"a": "\x00"})
    with pytest.raises(ValidationError, match="NUL"):
        IngestEnvelopeV1.model_validate(data)


def test_an_envelope_cannot_be_changed() -> None:
    envelope = parse(IngestEnvelopeV1, make.ingest())
    with pytest.raises(ValidationError):
        envelope.source.endpoint_identity = "other"  # type: ignore[misc]


def test_a_message_that_is_no_history_does_not_say_so() -> None:
    """A Switchboard of the release before refuses fields that it does not know (SWB-15.4)."""
    plain = parse(IngestEnvelopeV1, make.ingest())
    assert "backfill_job_id" not in plain.to_wire()["control"]
    job_id = "0198c0de-0000-7000-8000-000000000001"
    marked = parse(IngestEnvelopeV1, changed(make.ingest(), "control.backfill_job_id", job_id))
    assert marked.to_wire()["control"]["backfill_job_id"] == job_id
