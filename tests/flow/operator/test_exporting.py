"""The operator's own metrics on their way to a collector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from butler_kit.telemetry import configure_metrics
from tests.support.otlp_collector import OtlpCollector

Start = Callable[..., Any]


async def test_an_operator_exports_its_metrics_where_a_collector_is_named(start: Start) -> None:
    with OtlpCollector() as collector:
        assert configure_metrics("operator", {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
        try:
            async with start() as home:
                await home.settled()
        finally:
            configure_metrics("operator", {})
        told = collector.metrics_of("butlers.operator")
    assert "butlers.operator.queue_depth" in told
    assert collector.paths == ["/v1/metrics"]
