"""Logs and spans of a delivery can be joined by request and delivery (MSG-14.2)."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from butler_kit.telemetry import configure_logging, tracing
from tests.integration.messenger.household import Place, envelope, notify, request_context
from tests.support.telegram_api import Fault

OURS = "butlers.messenger."


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing._Tracing, "tracer", provider.get_tracer("butlers"))
    return exporter


CHILDREN = ("validate", "idempotency_check", "rate_limit_check", "provider_send", "persistence_write")


@pytest.mark.spec("MSG-14.2")
async def test_every_span_and_line_of_a_delivery_names_its_request_and_its_delivery(
    place: Place, spans: InMemorySpanExporter, capfd: pytest.CaptureFixture[str]
) -> None:
    configure_logging("messenger", "info", "json")
    context = request_context()
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("12 euro", intent="reply", context=context))
    assert answer.delivery is not None
    request_id, delivery_id = context["request_id"], answer.delivery.delivery_id
    ours = [span for span in spans.get_finished_spans() if span.name.startswith(OURS)]
    attributes = {span.name.removeprefix(OURS): span.attributes or {} for span in ours}
    assert [name for name in ("delivery", *CHILDREN) if name not in attributes] == []
    assert {one["request_id"] for one in attributes.values()} == {request_id}
    for name in ("delivery", "provider_send", "persistence_write"):
        assert attributes[name]["delivery_id"] == delivery_id
    assert attributes["delivery"]["origin_butler"] == "finance"
    # Admission and the worker's part are one trace, below the root of each.
    assert len({span.context.trace_id for span in ours}) == 1
    roots = [span for span in ours if span.name == f"{OURS}delivery"]
    assert {span.attributes["delivery_id"] for span in roots if span.attributes} == {delivery_id}
    ids = {span.context.span_id for span in ours}
    assert all(span.parent is not None and span.parent.span_id in ids for span in ours if span not in roots)
    assert "12 euro" not in str([span.to_json() for span in spans.get_finished_spans()])
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"
    ]
    [ended] = [line for line in lines if line["event"] == "delivery_ended"]
    assert (ended["request_id"], ended["delivery_id"]) == (request_id, delivery_id)
    row = await place.row(delivery_id)
    assert str(row["request_id"]) == request_id
    tables = ("delivery_attempts", "delivery_receipts")
    found = [
        await place.rows(f"SELECT 1 FROM {name} WHERE delivery_id = $1", UUID(delivery_id)) for name in tables
    ]
    assert [len(rows) for rows in found] == [1, 1]


@pytest.mark.spec("MSG-14.2")
async def test_a_failed_delivery_and_a_refused_one_can_be_followed_by_their_ids(
    place: Place, spans: InMemorySpanExporter, capfd: pytest.CaptureFixture[str]
) -> None:
    configure_logging("messenger", "info", "json")
    failed, refused = request_context(), request_context()
    place.telegram.script(Fault("sendMessage", "status", count=1, status=403))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("12 euro", intent="reply", context=failed))
        await messenger.execute(envelope(notify("x", recipient="nobody at all", context=refused)))
    assert answer.delivery is not None
    delivery_id = answer.delivery.delivery_id
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]
    by_event = {
        line["event"]: line for line in lines if line["event"] in ("delivery_ended", "delivery_refused")
    }
    assert by_event["delivery_ended"]["delivery_id"] == delivery_id
    assert by_event["delivery_ended"]["request_id"] == failed["request_id"]
    assert by_event["delivery_refused"]["request_id"] == refused["request_id"]
    [letter] = await place.rows("SELECT * FROM delivery_dead_letter")
    assert (str(letter["delivery_id"]), str(letter["request_id"])) == (delivery_id, failed["request_id"])
    roots = [s for s in spans.get_finished_spans() if s.name == f"{OURS}delivery"]
    seen = {str((s.attributes or {})["request_id"]) for s in roots}
    assert seen == {failed["request_id"], refused["request_id"]}
