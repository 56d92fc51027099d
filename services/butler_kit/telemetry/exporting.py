"""OpenTelemetry metrics beside `/metrics`: every minute a collector gets what the registry holds (SWB-42).

Invariant: without an endpoint no OpenTelemetry module is imported and no thread runs. With one, a single thread
exports, one request at a time and nothing in a queue: values count from the start, so the next request has whatever
a failed one had. Nobody waits for a collector but the end of the process, at most `LAST_S`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Final

from butler_kit.telemetry.logs import get_logger
from butler_kit.telemetry.metrics import Metrics
from butler_kit.telemetry.otlp import LAST_S, endpoint_of, resource_of, session_of

__all__ = ["EVERY_S", "configure_metrics", "exported"]

_log = get_logger(__name__)
EVERY_S: Final = 60.0
_LIBRARY: Final = logging.getLogger("opentelemetry.exporter.otlp.proto.http.metric_exporter")
"""It says why an export failed, at each of them."""


@dataclass(frozen=True, slots=True)
class _Collector:
    endpoint: str
    service: str
    env: Mapping[str, str]

    def exporter(self) -> Any:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        return OTLPMetricExporter(endpoint=self.endpoint, session=session_of(self.env))


class _Exporting:
    """Where this process exports its metrics to, once `configure_metrics` said so."""

    collector: _Collector | None = None


def configure_metrics(service: str, env: Mapping[str, str]) -> bool:
    """Make `exported` export over OTLP/HTTP if the environment names an endpoint; say whether it does."""
    endpoint = endpoint_of(env, "metrics")
    _Exporting.collector = None if endpoint is None else _Collector(endpoint, service, env)
    return endpoint is not None


@contextmanager
def exported(metrics: Metrics, *, every_s: float = EVERY_S) -> Iterator[None]:
    """Export `metrics` while the block runs, and once more at its end; nothing before `configure_metrics`."""
    if _Exporting.collector is None:
        yield
        return
    export = _Export(metrics, _Exporting.collector, every_s)
    export.start()
    try:
        yield
    finally:
        export.end()


class _Export(Thread):
    """Sends one registry to the collector until its end; a thread that hangs there does not keep the process."""

    def __init__(self, metrics: Metrics, collector: _Collector, every_s: float) -> None:
        super().__init__(name="metrics-export", daemon=True)
        self._metrics, self._every_s = metrics, every_s
        self._exporter, self._resource = collector.exporter(), resource_of(collector.service)
        self._since_ns = time.time_ns()
        self._ending = Event()
        self._works = True
        _LIBRARY.disabled = False

    def run(self) -> None:
        while not self._ending.wait(self._every_s):
            self._send()
        self._send()

    def end(self) -> None:
        """Send what is left and stop."""
        self._ending.set()
        self.join(LAST_S)
        self._exporter.shutdown()

    def _send(self) -> None:
        from opentelemetry.sdk.metrics.export import MetricExportResult

        from butler_kit.telemetry.points import metrics_data

        families = self._metrics.families()
        data = metrics_data(families, self._resource, since_ns=self._since_ns, now_ns=time.time_ns())
        self._tell(self._exporter.export(data) is MetricExportResult.SUCCESS)

    def _tell(self, works: bool) -> None:
        """Log the first failure and its end, not each of them."""
        if works == self._works:
            return
        self._works = works
        _LIBRARY.disabled = not works
        if works:
            _log.info("metrics_exported_again")
        else:
            _log.warning(
                "metrics_not_exported", hint="OTEL_METRICS_EXPORTER=none if the collector takes none"
            )
