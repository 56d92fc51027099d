"""A collector on a free port of the loopback that takes OTLP over HTTP and decodes what it gets."""

from __future__ import annotations

import gzip
import ssl
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Event, Thread
from types import TracebackType
from typing import Any, Final, Self

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.loopback import HOST

__all__ = ["OtlpCollector"]

_KINDS: Final[dict[str, Any]] = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
}


class OtlpCollector(ThreadingHTTPServer):
    """A context manager; `status` is what it answers, and while `answering` is not set it answers nothing."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, *, tls: ssl.SSLContext | None = None) -> None:
        self.status = 200
        self.answering = Event()
        self.answering.set()
        self.requests: list[tuple[str, Any]] = []
        self._came = Condition()
        super().__init__((HOST, 0), _Receive)
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self._thread = Thread(target=self.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"{self._scheme}://{HOST}:{self.server_address[1]}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    @property
    def spans(self) -> dict[str, tuple[dict[str, str], bytes, bytes]]:
        """Of each span, by its name: attributes, trace, parent."""
        return {
            one.name: (_marks(one), one.trace_id, one.parent_span_id)
            for path, request in self.requests
            if path == "/v1/traces"
            for one in request.resource_spans[0].scope_spans[0].spans
        }

    def metrics_of(self, service: str) -> dict[str, Any]:
        """The metrics that a service sent last, as decoded, by their names."""
        sent = [one.resource_metrics[0] for one in self.exports]
        [*_, last] = [one for one in sent if _marks(one.resource)["service.name"] == service]
        return {one.name: one for one in last.scope_metrics[0].metrics}

    @property
    def exports(self) -> list[Any]:
        """The requests with metrics, oldest first."""
        return [request for path, request in self.requests if path == "/v1/metrics"]

    def resources(self) -> list[dict[str, str]]:
        """What the senders said of themselves, one for each request."""
        return [
            _marks((request.resource_spans if path == "/v1/traces" else request.resource_metrics)[0].resource)
            for path, request in self.requests
        ]

    def until(self, seen: Callable[[], bool], *, within_s: float = 60.0) -> None:
        """Wait for requests until `seen()` is true."""
        with self._came:
            assert self._came.wait_for(seen, within_s), f"it did not come; there are {self.paths}"

    def took(self, path: str, body: bytes) -> None:
        with self._came:
            self.requests.append((path, _KINDS[path].FromString(body)))
            self._came.notify_all()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.answering.set()
        self.shutdown()
        self.server_close()
        self._thread.join(5)


class _Receive(BaseHTTPRequestHandler):
    server: OtlpCollector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.took(self.path, body)
        self.server.answering.wait(60)
        self.send_response(self.server.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the test reads the requests."""


def _marks(told: Any) -> dict[str, str]:
    return {one.key: one.value.string_value for one in told.attributes}
