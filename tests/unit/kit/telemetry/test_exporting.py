"""Metrics on their way to a collector: every minute and at the end, by a thread that nothing waits for."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from butler_kit.telemetry import (
    SPAWNER,
    Metrics,
    SpanName,
    configure_metrics,
    configure_tracing,
    exported,
    shutdown_tracing,
    span,
)
from tests.support.otlp_collector import OtlpCollector

SESSIONS = "butlers.spawner.active_sessions"


@pytest.fixture
def collector() -> Iterator[OtlpCollector]:
    with OtlpCollector() as server:
        yield server
        configure_metrics("messenger", {})
        shutdown_tracing()


@pytest.fixture
def metrics(collector: OtlpCollector) -> Metrics:
    """Those of a process whose environment names the collector."""
    assert configure_metrics("messenger", {"OTEL_EXPORTER_OTLP_ENDPOINT": f"{collector.url}/"})
    return Metrics(SPAWNER)


def sessions(collector: OtlpCollector) -> float:
    value: float = collector.metrics_of("butlers.messenger")[SESSIONS].gauge.data_points[0].as_double
    return value


def exports_running() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "metrics-export"]


@pytest.mark.spec("SWB-42.1")
def test_a_collector_gets_the_metrics_while_they_are_exported_and_once_more_at_the_end(
    collector: OtlpCollector, metrics: Metrics
) -> None:
    with exported(metrics, every_s=0.01):
        metrics.add(SESSIONS, 2)
        collector.until(lambda: bool(collector.exports) and sessions(collector) == 2)
    with exported(metrics, every_s=3600):
        metrics.add(SESSIONS, 1)
    assert sessions(collector) == 3
    assert set(collector.paths) == {"/v1/metrics"}
    assert exports_running() == []


def test_spans_and_metrics_name_the_same_instance_of_the_service(
    collector: OtlpCollector, metrics: Metrics
) -> None:
    assert configure_tracing("messenger", {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    with exported(metrics), span(SpanName.DELIVERY):
        pass
    shutdown_tracing()
    one, other = collector.resources()
    assert sorted(collector.paths) == ["/v1/metrics", "/v1/traces"]
    assert one["service.name"] == other["service.name"] == "butlers.messenger"
    assert one["service.instance.id"] == other["service.instance.id"] != ""


def test_an_outage_is_logged_once_and_what_it_missed_comes_with_the_next_export(
    collector: OtlpCollector, metrics: Metrics
) -> None:
    collector.status = 400
    with capture_logs() as logs, exported(metrics, every_s=0.01):
        metrics.add(SESSIONS, 5)
        collector.until(lambda: len(collector.exports) >= 3)
        assert {one["event"] for one in logs} == {"metrics_not_exported"}
        collector.status = 200
        failed = len(collector.exports)
        collector.until(lambda: len(collector.exports) >= failed + 3)
    assert sessions(collector) == 5
    assert [one["event"] for one in logs] == ["metrics_not_exported", "metrics_exported_again"]


def test_a_collector_that_never_answers_holds_neither_the_work_nor_the_end(
    collector: OtlpCollector, metrics: Metrics
) -> None:
    collector.answering.clear()
    with exported(metrics, every_s=0.01):
        collector.until(lambda: len(collector.exports) == 1)
        metrics.add(SESSIONS, 1)
    assert len(collector.exports) == 1, "one request at a time, and the end waited for none"
    [hanging] = exports_running()
    assert hanging.daemon
    collector.answering.set()
    hanging.join(60)


@pytest.mark.parametrize(
    ("unwanted", "metrics_go", "spans_go"),
    [
        ({}, True, True),
        ({"OTEL_METRICS_EXPORTER": "none"}, False, True),
        ({"OTEL_TRACES_EXPORTER": "None "}, True, False),
    ],
)
def test_a_collector_of_only_one_of_them_gets_only_that(
    collector: OtlpCollector, unwanted: dict[str, str], metrics_go: bool, spans_go: bool
) -> None:
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, **unwanted}
    assert configure_metrics("messenger", env) is metrics_go
    assert configure_tracing("messenger", env) is spans_go


def test_without_an_endpoint_nothing_is_exported() -> None:
    assert not configure_metrics("messenger", {"OTEL_EXPORTER_OTLP_ENDPOINT": " "})
    with exported(Metrics(SPAWNER), every_s=0.01):
        assert exports_running() == []


def test_without_an_endpoint_no_library_to_export_with_is_loaded() -> None:
    program = (
        "import sys; from butler_kit.telemetry import Metrics, configure_metrics, exported\n"
        "configure_metrics('x', {})\nwith exported(Metrics([])): pass\n"
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=300, check=False).returncode == 0
