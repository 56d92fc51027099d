from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from butler_kit.telemetry import (
    SpanName,
    bind_request,
    configure_tracing,
    current_trace_context,
    shutdown_tracing,
    span,
)


class Collector(ThreadingHTTPServer):
    """An OTLP/HTTP receiver on a free port of the loopback."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, ExportTraceServiceRequest]] = []
        super().__init__(("127.0.0.1", 0), _Receive)

    @property
    def spans(self) -> dict[str, tuple[dict[str, str], bytes, bytes]]:
        found = {}
        for _, request in self.requests:
            for one in request.resource_spans[0].scope_spans[0].spans:
                marks = {a.key: a.value.string_value for a in one.attributes}
                found[one.name] = (marks, one.trace_id, one.parent_span_id)
        return found


class _Receive(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            import gzip

            body = gzip.decompress(body)
        self.server.requests.append((self.path, ExportTraceServiceRequest.FromString(body)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the test reads the requests."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    shutdown_tracing()
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_spans_reach_the_collector_with_the_request_they_belong_to(collector: Collector) -> None:
    endpoint = f"http://127.0.0.1:{collector.server_address[1]}"
    assert configure_tracing("messenger", {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint})
    with bind_request("0190-abc"), span(SpanName.DELIVERY, channel="telegram"):
        carried = current_trace_context()
        with span(SpanName.PROVIDER_SEND) as inner:
            inner.set_attribute("attempt", "1")
    with span(SpanName.ROUTE_PROCESS, parent=carried):
        pass
    shutdown_tracing()
    assert {path for path, _ in collector.requests} == {"/v1/traces"}
    delivery, send = (
        collector.spans["butlers.messenger.delivery"],
        collector.spans["butlers.messenger.provider_send"],
    )
    assert delivery[0] == {"channel": "telegram", "request_id": "0190-abc"}
    assert send[0] == {"attempt": "1", "request_id": "0190-abc"}
    assert send[1] == delivery[1] == collector.spans["butlers.route.process"][1]
    assert carried["traceparent"].split("-")[1] == delivery[1].hex()


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
