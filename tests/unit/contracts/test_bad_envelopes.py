"""Every way an envelope can be wrong is refused with the field's path and what was expected."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from butler_contracts.errors import ErrorClass
from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.route import RouteEnvelopeV1, RouteResponseV1
from tests.unit.contracts import envelopes as make
from tests.unit.contracts.envelopes import MISSING, changed

IN, RT, RR = (
    (IngestEnvelopeV1, make.ingest),
    (RouteEnvelopeV1, make.route),
    (RouteResponseV1, make.route_response),
)
NO, NR = (NotifyRequestV1, make.notify), (NotifyResponseV1, make.notify_response)
HB, NRT = (ConnectorHeartbeatV1, make.heartbeat), (RouteEnvelopeV1, make.notify_route)
LONG = "x" * 1_000_000
DEEP: dict[str, Any] = {}
_here = DEEP
for _ in range(5_000):
    _here["d"] = {}
    _here = _here["d"]
NAN, INF = float("nan"), float("inf")

# (envelope, field that is changed, bad value, path that the refusal names, words in the refusal)
BAD: list[tuple[Any, str, object, str, str]] = [
    (IN, "schema_version", MISSING, "schema_version", "'ingest.v1'"),
    (
        IN,
        "schema_version",
        "ingest.v2",
        "schema_version",
        "unknown version 'ingest.v2'; expected 'ingest.v1'",
    ),
    (IN, "schema_version", "route.v1", "schema_version", "'ingest.v1'"),
    (IN, "schema_version", 1, "schema_version", "'ingest.v1'"),
    (IN, "schema_version", ["ingest.v1"], "schema_version", "'ingest.v1'"),
    (IN, "surprise", 1, "surprise", "not a known field"),
    (IN, "source", MISSING, "source", "is missing"),
    (IN, "event", MISSING, "event", "is missing"),
    (IN, "sender", MISSING, "sender", "is missing"),
    (IN, "payload", MISSING, "payload", "is missing"),
    (IN, "control", MISSING, "control", "is missing"),
    (IN, "source", [], "source", "is a list"),
    (IN, "source.channel", "slack", "source.channel", "not supported yet"),
    (IN, "source.channel", "fax", "source.channel", "'telegram', 'slack', 'email', 'api' or 'mcp'"),
    (
        IN,
        "source.channel",
        "email",
        "source.provider",
        "does not go with channel 'email'; expected gmail or imap",
    ),
    (IN, "source.channel", "api", "source.provider", "expected internal"),
    (IN, "source.provider", "gmail", "source.provider", "does not go with channel 'telegram'"),
    (IN, "source.provider", "smtp", "source.provider", "'internal'"),
    (IN, "source.endpoint_identity", "", "source.endpoint_identity", "at least 1 character"),
    (IN, "source.endpoint_identity", "  ", "source.endpoint_identity", "visible character"),
    (IN, "source.endpoint_identity", "a\nb", "source.endpoint_identity", "control character at position 1"),
    (IN, "source.endpoint_identity", "x" * 513, "source.endpoint_identity", "has 513 characters"),
    (IN, "event.external_event_id", "", "event.external_event_id", "at least 1 character"),
    (IN, "event.external_event_id", 901, "event.external_event_id", "is 901; expected a valid string"),
    (IN, "event.external_event_id", None, "event.external_event_id", "is null"),
    (IN, "event.external_thread_id", "", "event.external_thread_id", "at least 1 character"),
    (IN, "event.supersedes", "", "event.supersedes", "at least 1 character"),
    (IN, "event.observed_at", "2026-03-01T09:30:00", "event.observed_at", "not a timestamp with a time zone"),
    (IN, "event.observed_at", "yesterday", "event.observed_at", "RFC 3339"),
    (IN, "event.observed_at", 1_772_357_400, "event.observed_at", "is not a timestamp"),
    (IN, "event.observed_at", True, "event.observed_at", "is not a timestamp"),
    (IN, "event.observed_at", "2026-02-30T09:30:00Z", "event.observed_at", "no moment"),
    (IN, "event.observed_at", "0001-01-01T00:00:00Z", "event.observed_at", "year from 1970"),
    (IN, "event.observed_at", "9999-12-31T23:59:59-14:00", "event.observed_at", "year from 1970"),
    (IN, "sender.identity", "", "sender.identity", "at least 1 character"),
    (IN, "sender.identity", {"id": 1}, "sender.identity", "is an object"),
    (IN, "sender.display_name", "\ud800", "sender.display_name", "surrogate pair"),
    (IN, "payload.normalized_text", "", "payload.normalized_text", "at least 1 character"),
    (IN, "payload.normalized_text", "a\x00b", "payload.normalized_text", "NUL character at position 1"),
    (IN, "payload.normalized_text", "a\udfffb", "payload.normalized_text", "surrogate pair"),
    (IN, "payload.normalized_text", LONG, "payload.normalized_text", "has 1000000 characters"),
    (IN, "payload.raw", None, "payload.raw", "missing in tier 'full'"),
    (IN, "payload.raw", "text", "payload.raw", "is 'text'"),
    (IN, "payload.raw", [1], "payload.raw", "is a list"),
    (IN, "payload.raw", {"big": "x" * 262_144}, "payload.raw", "at most 262144 bytes"),
    (IN, "payload.raw", {"a": [{"b": "\x00"}]}, "payload.raw.a[0].b", "NUL character"),
    (IN, "payload.raw", {"a": {"b\x00": 1}}, "payload.raw.a.b�", "a key that has a NUL"),
    (IN, "payload.raw", {"\ud834": 1}, "payload.raw.�", "a key that has half of a surrogate pair"),
    (IN, "payload.raw", {1: 1}, "payload.raw.1", "key that is not text"),
    (IN, "payload.raw", {"a": [1, NAN]}, "payload.raw.a[1]", "NaN or infinite"),
    (IN, "payload.raw", {"a": INF}, "payload.raw.a", "NaN or infinite"),
    (IN, "payload.raw", {"n": 10**5_000}, "payload.raw.n", "more than 64 bits"),
    (IN, "payload.raw", {"s": {1, 2}}, "payload.raw.s", "is a set; expected a JSON value"),
    (IN, "payload.raw", {"s": b"bytes"}, "payload.raw.s", "is a bytes"),
    (IN, "payload.raw", {"many": [0] * 60_000}, "$", "more than 50000 values"),
    (IN, "payload.attachments", [{}], "payload.attachments[0].media_type", "is missing"),
    (IN, "payload.attachments.0.media_type", "png", "payload.attachments[0].media_type", "pattern"),
    (IN, "payload.attachments.0.storage_ref", MISSING, "payload.attachments[0].storage_ref", "is missing"),
    (
        IN,
        "payload.attachments.0.size_bytes",
        -1,
        "payload.attachments[0].size_bytes",
        "greater than or equal to 0",
    ),
    (IN, "payload.attachments.0.size_bytes", "9", "payload.attachments[0].size_bytes", "a valid integer"),
    (IN, "payload.attachments.0.size_bytes", 1.5, "payload.attachments[0].size_bytes", "a valid integer"),
    (IN, "payload.attachments.0.size_bytes", True, "payload.attachments[0].size_bytes", "a valid integer"),
    (
        IN,
        "payload.attachments",
        [make.ingest()["payload"]["attachments"][0]] * 101,
        "payload.attachments",
        "100",
    ),
    (IN, "control.idempotency_key", "", "control.idempotency_key", "at least 1 character"),
    (
        IN,
        "control.policy_tier",
        "u" * 65,
        "control.policy_tier",
        "at most 64 characters",
    ),
    (IN, "control.ingestion_tier", "tier3", "control.ingestion_tier", "'full' or 'metadata'"),
    (IN, "control.ingestion_tier", "metadata", "payload.raw", "present in tier 'metadata'"),
    (IN, "control.trace_context", {"a": 1}, "control.trace_context.a", "a valid string"),
    (IN, "control.trace_context", {"a": "x" * 513}, "control.trace_context.a", "at most 512"),
    (IN, "control.trace_context", {f"k{n}": "v" for n in range(17)}, "control.trace_context", "at most 16"),
    (RT, "schema_version", "route.v2", "schema_version", "'route.v1', known here"),
    (RT, "request_context", {}, "request_context.request_id", "is missing"),
    (RT, "request_context.request_id", "7", "request_context.request_id", "a valid UUID"),
    (
        RT,
        "request_context.request_id",
        make.SUBREQUEST_ID,
        "request_context.request_id",
        "a UUID of version 7",
    ),
    (RT, "request_context.received_at", "2026-03-01 09:30", "request_context.received_at", "time zone"),
    (
        RT,
        "request_context.reply_policy",
        "maybe",
        "request_context.reply_policy",
        "'allow', 'owner' or 'none'",
    ),
    (RT, "request_context.sender_class", "other", "request_context.reply_policy", "outside the household"),
    (RT, "request_context.automatic", True, "request_context.reply_policy", "automatic message"),
    (RT, "caller", {}, "caller.endpoint_identity", "is missing"),
    (RT, "subrequest", MISSING, "subrequest", "is missing"),
    (
        RT,
        "subrequest.fanout_mode",
        "race",
        "subrequest.fanout_mode",
        "'parallel', 'ordered' or 'conditional'",
    ),
    (RT, "subrequest.attempt", 0, "subrequest.attempt", "greater than or equal to 1"),
    (RT, "target.tool", "shell", "target.tool", "'route.execute'"),
    (RT, "target.butler", "Robert'); --", "target.butler", "pattern"),
    (RT, "input.prompt", "", "input.prompt", "at least 1 character"),
    (RT, "input.segment", {}, "input.segment", "says nothing"),
    (RT, "input.segment.char_ranges", [[5, 5]], "input.segment.char_ranges[0]", "start before end"),
    (
        RT,
        "input.segment.char_ranges",
        [[-1, 5]],
        "input.segment.char_ranges[0][0]",
        "greater than or equal to 0",
    ),
    (RT, "limits.route_timeout_s", 0, "limits.route_timeout_s", "greater than 0"),
    (NRT, "input.context.notify_request", {}, "input.context.notify_request.origin_butler", "is missing"),
    (
        NRT,
        "input.context.notify_request.schema_version",
        MISSING,
        "input.context.notify_request.schema_version",
        "is missing",
    ),
    (
        NRT,
        "input.context.notify_request.schema_version",
        "notify.v2",
        "input.context.notify_request.schema_version",
        "'notify.v1'",
    ),
    (NRT, "input.context.lineage", {}, "input.context.lineage.origin_butler", "is missing"),
    (
        NO,
        "schema_version",
        "notify.v9",
        "schema_version",
        "unknown version 'notify.v9'; expected 'notify.v1'",
    ),
    (NO, "origin_butler", MISSING, "origin_butler", "is missing"),
    (NO, "delivery.intent", "shout", "delivery.intent", "'send', 'reply' or 'react'"),
    (NO, "delivery.intent", MISSING, "delivery.intent", "is missing"),
    (NO, "delivery.channel", MISSING, "delivery.channel", "is missing"),
    (NO, "delivery.channel", "pigeon", "delivery.channel", "'telegram', 'email', 'sms' or 'chat'"),
    (NO, "delivery.channel", "api", "delivery.channel", "route_response.result.reply"),
    (NO, "delivery.channel", "email", "delivery.channel", "cannot answer what came by 'telegram'"),
    (NO, "delivery.message", MISSING, "delivery.message", "is empty for intent 'reply'"),
    (NO, "delivery.message", " \n ", "delivery.message", "is empty"),
    (NO, "delivery.message", LONG, "delivery.message", "at most 65536"),
    (NO, "delivery.subject", "Hi\r\nBcc: all@example.org", "delivery.subject", "control character"),
    (NO, "delivery.recipient", "a\nb", "delivery.recipient", "control character"),
    (NO, "delivery.emoji", "👍", "delivery.emoji", "only 'react' has one"),
    (NO, "delivery.intent", "react", "delivery.emoji", "missing for intent 'react'"),
    (NO, "request_context", None, "request_context", "missing for intent 'reply'"),
    (NO, "request_context.request_id", MISSING, "request_context.request_id", "is missing"),
    (NO, "request_context.source_channel", MISSING, "request_context.source_channel", "is missing"),
    (
        NO,
        "request_context.source_endpoint_identity",
        MISSING,
        "request_context.source_endpoint_identity",
        "missing",
    ),
    (
        NO,
        "request_context.source_sender_identity",
        MISSING,
        "request_context.source_sender_identity",
        "is missing",
    ),
    (
        NO,
        "request_context.source_thread_identity",
        None,
        "request_context.source_thread_identity",
        "missing for intent 'reply' on telegram",
    ),
    (RR, "schema_version", "route_response.v2", "schema_version", "'route_response.v1', known here"),
    (RR, "status", "done", "status", "'accepted', 'ok' or 'error'"),
    (RR, "status", "error", "error", "missing in status 'error'"),
    (RR, "result", None, "result", "missing in status 'ok'"),
    (RR, "error", make.error(), "error", "present in status 'ok'"),
    (RR, "timing", MISSING, "timing", "is missing"),
    (RR, "timing.duration_ms", -1, "timing.duration_ms", "greater than or equal to 0"),
    (RR, "result.notify_response.status", "well", "result.notify_response.status", "'ok' or 'error'"),
    (RR, "result", {"big": "x" * 262_144}, "result", "at most 262144 bytes"),
    (NR, "schema_version", "notify_response.v2", "schema_version", "'notify_response.v1', known here"),
    (NR, "delivery", None, "delivery", "missing in status 'ok'"),
    (NR, "delivery.delivery_id", "", "delivery.delivery_id", "at least 1 character"),
    (NR, "delivery.state", "lost", "delivery.state", "'uncertain'"),
    (NR, "status", "error", "error", "missing in status 'error'"),
    (NR, "error", make.error(), "error", "present in status 'ok'"),
    (
        HB,
        "schema_version",
        "connector.heartbeat.v2",
        "schema_version",
        "'connector.heartbeat.v1', known here",
    ),
    (HB, "connector.connector_type", "Telegram Bot", "connector.connector_type", "pattern"),
    (HB, "connector.instance_id", make.SUBREQUEST_ID, "connector.instance_id", "a UUID of version 4"),
    (HB, "status.state", "fine", "status.state", "'healthy', 'degraded' or 'error'"),
    (HB, "status.state", "degraded", "status.error_message", "missing in state 'degraded'"),
    (HB, "status.state", "error", "status.error_message", "missing in state 'error'"),
    (HB, "status.uptime_s", -1, "status.uptime_s", "greater than or equal to 0"),
    (HB, "counters.messages_ingested", -1, "counters.messages_ingested", "greater than or equal to 0"),
    (HB, "counters.messages_ingested", "3", "counters.messages_ingested", "a valid integer"),
    (HB, "checkpoint", {"cursor": "1"}, "checkpoint.updated_at", "is missing"),
    (HB, "checkpoint.cursor", "", "checkpoint.cursor", "at least 1 character"),
    (HB, "capabilities.heartbeat_interval_s", 5, "capabilities.heartbeat_interval_s", "from 30 to 300"),
    (HB, "capabilities.heartbeat_interval_s", True, "capabilities.heartbeat_interval_s", "from 30 to 300"),
    (HB, "sent_at", "2026-03-01T09:31:00", "sent_at", "time zone"),
]


def refusal(model: type[BaseModel], data: Any) -> ContractViolation:
    with pytest.raises(ContractViolation) as caught:
        parse(model, data)
    return caught.value


@pytest.mark.parametrize(("envelope", "field", "value", "path", "words"), BAD)
def test_a_bad_field_is_refused_by_path_and_expectation(
    envelope: Any, field: str, value: object, path: str, words: str
) -> None:
    model, build = envelope
    error = refusal(model, changed(build(), field, value))
    assert error.problems[0].path == path
    assert words in str(error.problems[0])
    assert str(error.problems[0]) in str(error)
    assert error.error_class is ErrorClass.VALIDATION_ERROR
    assert not error.retryable
    assert len(str(error)) < 4_000


def test_the_table_is_long_enough_to_matter() -> None:
    assert len(BAD) >= 60


@pytest.mark.parametrize(
    "root", [[], "text", b"bytes", 1, None, True, [make.ingest()], "[]", "null", '"x"', "1"]
)
def test_a_root_that_is_no_object_is_refused(root: Any) -> None:
    error = refusal(IngestEnvelopeV1, root)
    assert error.problems[0].path == "$"
    assert "expected a JSON object" in str(error)


def with_raw(literal: str) -> str:
    return json.dumps(changed(make.ingest(), "payload.raw", "@")).replace('"@"', literal)


@pytest.mark.parametrize(
    ("literal", "path", "words"),
    [
        ('{"a": NaN}', "payload.raw.a", "is NaN"),
        ('{"a": [0, -Infinity]}', "payload.raw.a[1]", "is -Infinity"),
        ('{"a": 1e999}', "payload.raw.a", "NaN or infinite"),
        ('{"a": ' + "9" * 5_000 + "}", "payload.raw.a", "a number of 5000 characters"),
        ('{"a": 0.' + "9" * 5_000 + "}", "payload.raw.a", "a number of 5002 characters"),
        ('{"a": 18446744073709551616}', "payload.raw.a", "more than 64 bits"),
        ('{"a": 1, "a": 2}', "payload.raw.a", "appears twice"),
        ('{"b": [{"a": 1, "a": 1}]}', "payload.raw.b[0].a", "appears twice"),
        ('{"a": "\\u0000"}', "payload.raw.a", "NUL character"),
        ('{"a": "\\ud83d"}', "payload.raw.a", "surrogate pair"),
        ('{"a": ' + "[" * 60 + "]" * 60 + "}", "payload.raw.a" + "[0]" * 45, "nested too deeply"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "$", "nested too deeply"),
        ('{"a": ', "$", "is not JSON at line 1"),
    ],
)
def test_bad_json_text_is_refused_where_it_is_bad(literal: str, path: str, words: str) -> None:
    for data in (with_raw(literal), with_raw(literal).encode()):
        error = refusal(IngestEnvelopeV1, data)
        assert error.problems[0].path == path
        assert words in str(error)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xfe{}", "not UTF-8 at byte 0"),
        ("\ud800", "not JSON"),
        ("", "not JSON"),
        (" " * 2_000_000, "1048576"),
    ],
)
def test_text_that_cannot_be_json_is_refused(data: str | bytes, words: str) -> None:
    assert words in str(refusal(IngestEnvelopeV1, data))


def test_a_mapping_nested_five_thousand_deep_is_refused() -> None:
    assert "nested too deeply" in str(refusal(IngestEnvelopeV1, changed(make.ingest(), "payload.raw", DEEP)))


def test_a_mapping_that_contains_itself_is_refused() -> None:
    loop = make.ingest()
    loop["payload"]["raw"]["self"] = loop
    assert "nested too deeply" in str(refusal(IngestEnvelopeV1, loop))


def test_a_mapping_that_fails_when_it_is_read_is_refused() -> None:
    class Broken(dict[str, Any]):
        def items(self) -> Any:
            raise OSError("disk")

    assert "cannot be read (OSError)" in str(refusal(IngestEnvelopeV1, Broken(make.ingest())))


def test_an_envelope_beyond_one_mebibyte_is_refused() -> None:
    big = changed(make.ingest(), "sender.display_name", "x" * 1_100_000)
    assert "at most 1048576 bytes" in str(refusal(IngestEnvelopeV1, big))


def test_a_refusal_never_repeats_the_whole_value() -> None:
    secret = "s" * 500
    for field in ("source.channel", "event.observed_at", "control.policy_tier", "schema_version"):
        error = refusal(IngestEnvelopeV1, changed(make.ingest(), field, secret))
        assert secret[:100] not in str(error) + json.dumps(error.to_wire())


def test_many_problems_are_counted_and_not_all_listed() -> None:
    extra = {f"extra{n}": 1 for n in range(30)}
    error = refusal(IngestEnvelopeV1, {**make.ingest(), **extra})
    assert len(error.problems) == 30
    assert "and 22 more" in str(error)


def test_a_problem_under_a_long_key_has_a_bounded_path() -> None:
    error = refusal(IngestEnvelopeV1, changed(make.ingest(), "payload.raw", {LONG[:200_000]: {"a": NAN}}))
    assert len(error.problems[0].path) <= 200
