"""A registry's metrics as OpenTelemetry's, decoded from the bytes that a collector would get."""

from __future__ import annotations

from typing import Any

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE
from opentelemetry.sdk.resources import Resource

from butler_kit.telemetry import MESSENGER, SWITCHBOARD, Instrument, Metrics, prometheus_name
from butler_kit.telemetry.instruments import PROCESS
from butler_kit.telemetry.points import metrics_data
from butler_operator.metrics import OperatorMetrics

SINCE, NOW = 1_700_000_000_000_000_000, 1_700_000_060_000_000_000
WAITED = Instrument("butlers.test.wait_ms", "histogram", "Waits.", ("lane",), (1, 10, 100))


def taken(metrics: Metrics) -> dict[str, Any]:
    """The metrics as a collector decodes them, by name."""
    resource = Resource({"service.name": "butlers.test"})
    sent = encode_metrics(metrics_data(metrics.families(), resource, since_ns=SINCE, now_ns=NOW))
    request = ExportMetricsServiceRequest.FromString(sent.SerializeToString())
    [told] = request.resource_metrics
    [scope] = told.scope_metrics
    assert [one.value.string_value for one in told.resource.attributes] == ["butlers.test"]
    assert scope.scope.name == "butlers"
    return {one.name: one for one in scope.metrics}


def labels(point: Any) -> dict[str, str]:
    return {one.key: one.value.string_value for one in point.attributes}


def test_a_counter_is_a_growing_sum_under_its_specified_name() -> None:
    metrics = Metrics(SWITCHBOARD)
    metrics.count("butlers.switchboard.message_received", 3, channel="telegram", policy_tier="interactive")
    metrics.count("butlers.switchboard.message_received", channel="email", policy_tier="default")
    received = taken(metrics)["butlers.switchboard.message_received"]
    assert received.description == "Messages accepted."
    assert received.sum.is_monotonic
    assert received.sum.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE
    told = {point.as_double: labels(point) for point in received.sum.data_points}
    assert told == {
        3.0: {"channel": "telegram", "policy_tier": "interactive"},
        1.0: {"channel": "email", "policy_tier": "default"},
    }
    assert {(p.start_time_unix_nano, p.time_unix_nano) for p in received.sum.data_points} == {(SINCE, NOW)}


def test_a_gauge_is_the_value_of_the_moment() -> None:
    metrics = Metrics(SWITCHBOARD)
    metrics.set("butlers.switchboard.queue_depth", 7, policy_tier="default")
    [point] = taken(metrics)["butlers.switchboard.queue_depth"].gauge.data_points
    assert (point.as_double, labels(point), point.time_unix_nano) == (7.0, {"policy_tier": "default"}, NOW)


def test_a_histogram_keeps_its_buckets_and_says_no_more_than_it_knows() -> None:
    metrics = Metrics([WAITED])
    for value in (0.5, 5, 6, 1000):
        metrics.observe("butlers.test.wait_ms", value, lane="hot")
    metrics.observe("butlers.test.wait_ms", 50, lane="cold")
    waited = taken(metrics)["butlers.test.wait_ms"].histogram
    assert waited.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE
    hot, cold = waited.data_points
    assert (labels(hot), list(hot.explicit_bounds)) == ({"lane": "hot"}, [1, 10, 100])
    assert (list(hot.bucket_counts), hot.count, hot.sum) == ([1, 2, 0, 1], 4, 1011.5)
    assert (list(cold.bucket_counts), cold.count, cold.sum) == ([0, 0, 1, 0], 1, 50)
    assert not hot.HasField("min")
    assert not hot.HasField("max")


def test_what_has_no_series_yet_is_left_out() -> None:
    found = taken(Metrics(MESSENGER))
    assert "butlers.messenger.delivery_sent" not in found
    assert found["butlers.messenger.contacts_current"].gauge.data_points[0].as_double == 0


def test_the_processs_own_metrics_are_among_them() -> None:
    found = taken(Metrics([]))
    assert found["process_cpu_seconds"].sum.is_monotonic
    assert found["process_resident_memory_bytes"].gauge.data_points[0].as_double > 1_000_000


def test_a_collector_that_writes_for_prometheus_finds_the_names_of_the_metrics_page() -> None:
    """It puts underscores for dots, `_total` at a sum's end, and a unit if there is one."""
    metrics = OperatorMetrics()
    metrics.count("butlers.mcp.tool_calls", tool="route.execute", outcome="ok")
    metrics.observe("butlers.operator.lag_seconds", 0.2)
    found = taken(metrics)
    instruments = {one.name: one for one in PROCESS}
    assert prometheus_name(instruments["butlers.mcp.tool_calls"]) == "butlers_mcp_tool_calls_total"
    assert found["butlers.mcp.tool_calls"].sum.is_monotonic
    assert found["butlers.operator.lag_seconds"].histogram.data_points[0].count == 1
    assert {one.unit for one in found.values()} == {""}
