"""Logs and spans of a delivery can be joined by request and delivery (MSG-14.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from butler_kit.telemetry import configure_logging, tracing
from tests.integration.messenger.household import Place, notify, request_context

OURS = "butlers.messenger."


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing._Tracing, "tracer", provider.get_tracer("butlers"))
    return exporter


async def test_every_span_and_line_of_a_delivery_names_its_request(
    place: Place, spans: InMemorySpanExporter, capfd: pytest.CaptureFixture[str]
) -> None:
    configure_logging("messenger", "info", "json")
    context = request_context()
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("12 euro", intent="reply", context=context))
    assert answer.delivery is not None
    finished = {span.name: span for span in spans.get_finished_spans()}
    for name in ("delivery", "validate", "idempotency_check", "provider_send", "persistence_write"):
        attributes = finished[f"butlers.messenger.{name}"].attributes
        assert attributes is not None
        assert attributes["request_id"] == context["request_id"]
    # Admission and the worker's part are one trace.
    assert (
        len({span.context.trace_id for span in spans.get_finished_spans() if span.name.startswith(OURS)}) == 1
    )
    assert "12 euro" not in str([span.to_json() for span in spans.get_finished_spans()])
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"
    ]
    [ended] = [line for line in lines if line["event"] == "delivery_ended"]
    assert ended["request_id"] == context["request_id"]
    assert ended["delivery_id"] == answer.delivery.delivery_id
