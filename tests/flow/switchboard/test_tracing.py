"""A message's way through Switchboard is one that a trace shows (SWB-42)."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from butler_kit.telemetry import SpanName, tracing
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing._Tracing, "tracer", provider.get_tracer("butlers"))
    return exporter


async def test_the_decision_and_the_dispatch_are_spans_within_that_of_the_message(
    home: Household, spans: InMemorySpanExporter
) -> None:
    text = "Paid 42.50 EUR for groceries"
    async with home.run() as running:
        request = await running.accepted(telegram(1, text))
        await home.settled(request)
    finished = spans.get_finished_spans()
    assert SpanName.INGEST in {span.name for span in finished}
    [decision] = [span for span in finished if span.name == SpanName.LLM_DECISION]
    dispatched = [span for span in finished if span.name == SpanName.ROUTE_DISPATCH]
    assert dispatched
    messages = {span.context.span_id for span in finished if span.name == SpanName.MESSAGE}
    for span in (decision, *dispatched):
        assert span.parent is not None
        assert span.parent.span_id in messages
        assert span.attributes is not None
        assert span.attributes["request_id"] == str(request)
    assert text not in str([span.to_json() for span in finished])
