from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from butler_kit.telemetry import (
    SpanName,
    bind_request,
    configure_tracing,
    current_trace_context,
    shutdown_tracing,
    span,
)
from tests.support.otlp_collector import OtlpCollector


@pytest.fixture
def collector() -> Iterator[OtlpCollector]:
    with OtlpCollector() as server:
        yield server
        shutdown_tracing()


def test_spans_reach_the_collector_with_the_request_they_belong_to(collector: OtlpCollector) -> None:
    assert configure_tracing("messenger", {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    with bind_request("0190-abc"), span(SpanName.DELIVERY, channel="telegram"):
        carried = current_trace_context()
        with span(SpanName.PROVIDER_SEND) as inner:
            inner.set_attribute("attempt", "1")
    with span(SpanName.ROUTE_PROCESS, parent=carried):
        pass
    shutdown_tracing()
    assert set(collector.paths) == {"/v1/traces"}
    delivery, send = (
        collector.spans["butlers.messenger.delivery"],
        collector.spans["butlers.messenger.provider_send"],
    )
    assert delivery[0] == {"channel": "telegram", "request_id": "0190-abc"}
    assert send[0] == {"attempt": "1", "request_id": "0190-abc"}
    assert send[1] == delivery[1] == collector.spans["butlers.route.process"][1]
    assert carried["traceparent"].split("-")[1] == delivery[1].hex()


def test_a_collector_that_never_answers_does_not_hold_the_end(collector: OtlpCollector) -> None:
    collector.answering.clear()
    assert configure_tracing("messenger", {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    with span(SpanName.DELIVERY):
        pass
    shutdown_tracing()
    [ending] = [one for one in threading.enumerate() if one.name == "tracing-end"]
    assert ending.daemon
    collector.answering.set()
    ending.join(60)


def test_without_an_endpoint_nothing_is_traced() -> None:
    assert not configure_tracing("messenger", {"OTEL_EXPORTER_OTLP_ENDPOINT": " "})
    with span(SpanName.DELIVERY, parent={"traceparent": "x"}) as running:
        running.set_attribute("a", 1)
        assert current_trace_context() == {}


def test_without_an_endpoint_no_tracing_library_is_loaded() -> None:
    program = (
        "import sys; from butler_kit.telemetry import span, configure_tracing\n"
        "configure_tracing('x', {})\nwith span('a'): pass\n"
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=300, check=False).returncode == 0
