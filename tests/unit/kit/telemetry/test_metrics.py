from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from butler_kit.queue.decisions import QueueObserver
from butler_kit.telemetry import (
    BUFFER,
    CALENDAR,
    MESSENGER,
    REMINDER,
    ROUTE,
    SCHEDULE,
    SPAWNER,
    SWITCHBOARD,
    BufferMetrics,
    Instrument,
    Metrics,
    prometheus_name,
)
from butler_kit.telemetry.instruments import PROCESS
from butler_operator.metrics import INSTRUMENTS as OPERATOR

ALL = (*SWITCHBOARD, *BUFFER, *SPAWNER, *ROUTE, *REMINDER, *CALENDAR, *SCHEDULE, *MESSENGER)
DELIVERY = {
    "channel": "telegram", "intent": "reply", "identity_scope": "bot",
    "outcome": "sent", "error_class": "", "origin_butler": "finance",
}  # fmt: skip


def families(metrics: Metrics) -> dict[str, str]:
    body, content_type = metrics.expose()
    assert content_type.startswith("text/plain")
    return {family.name: family.type for family in text_string_to_metric_families(body.decode())}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("butlers_switchboard_message_received", "counter"),
        ("butlers_switchboard_message_deduplicated", "counter"),
        ("butlers_switchboard_subroute_dispatched", "counter"),
        ("butlers_switchboard_ingress_accept_latency_ms", "histogram"),
        ("butlers_switchboard_routing_decision_latency_ms", "histogram"),
        ("butlers_switchboard_queue_depth", "gauge"),
        ("butlers_switchboard_inflight_requests", "gauge"),
        ("butlers_switchboard_circuit_open_targets", "gauge"),
        ("butlers_switchboard_queue_dequeue_by_tier", "counter"),
        ("butlers_buffer_queue_depth", "gauge"),
        ("butlers_buffer_enqueue", "counter"),
        ("butlers_buffer_backpressure", "counter"),
        ("butlers_buffer_scanner_recovered", "counter"),
        ("butlers_buffer_process_latency_ms", "histogram"),
        ("butlers_spawner_active_sessions", "gauge"),
        ("butlers_spawner_queued_triggers", "gauge"),
        ("butlers_spawner_session_duration_ms", "histogram"),
        ("butlers_route_accept_latency_ms", "histogram"),
        ("butlers_route_queue_depth", "gauge"),
        ("butlers_route_process_latency_ms", "histogram"),
        ("butlers_messenger_delivery_requested", "counter"),
        ("butlers_messenger_delivery_latency_ms", "histogram"),
        ("butlers_messenger_admission_rejected", "counter"),
    ],
)
def test_the_specified_metrics_exist_under_their_names(name: str, kind: str) -> None:
    assert families(Metrics(ALL))[name] == kind


def test_a_counter_is_shown_with_its_labels_and_total() -> None:
    metrics = Metrics(ALL)
    metrics.count("butlers.buffer.enqueue_total", path="hot")
    metrics.count("butlers.messenger.delivery_sent", 2, **DELIVERY)
    text = metrics.expose()[0].decode()
    assert 'butlers_buffer_enqueue_total{path="hot"} 1.0' in text
    assert 'origin_butler="finance"' in text
    assert metrics.value("butlers.messenger.delivery_sent", **DELIVERY) == 2


def test_what_a_queue_does_is_counted_under_the_specified_names() -> None:
    metrics = Metrics(ALL)
    observer: QueueObserver = BufferMetrics(metrics)
    observer.enqueued("hot")
    observer.backpressure("default")
    observer.recovered(3)
    observer.taken("interactive", starvation_override=True)
    observer.waited_ms(12.0)
    assert metrics.value("butlers.buffer.enqueue_total", path="hot") == 1
    assert metrics.value("butlers.buffer.backpressure_total", lane="default") == 1
    assert metrics.value("butlers.buffer.scanner_recovered_total") == 3
    labels = {"policy_tier": "interactive", "starvation_override": "true"}
    assert metrics.value("butlers.switchboard.queue.dequeue_by_tier", **labels) == 1
    assert metrics.value("butlers.buffer.process_latency_ms") == 1


def test_two_services_of_one_process_count_apart() -> None:
    one, other = Metrics(SPAWNER), Metrics(SPAWNER)
    one.add("butlers.spawner.active_sessions", 2)
    one.add("butlers.spawner.active_sessions", -1)
    assert one.value("butlers.spawner.active_sessions") == 1
    assert other.value("butlers.spawner.active_sessions") == 0


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("butlers.buffer.nothing", {}),
        ("butlers.buffer.queue_depth", {"lane": "default"}),
        ("butlers.buffer.enqueue_total", {}),
        ("butlers.buffer.enqueue_total", {"path": "hot", "more": "x"}),
        ("butlers.buffer.enqueue_total", {"lane": "hot"}),
    ],
)
def test_what_was_not_declared_is_a_programming_error(name: str, labels: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=re.escape(name)):
        Metrics(ALL).count(name, **labels)


def test_series_beyond_the_bound_are_counted_and_left_out() -> None:
    instrument = Instrument("butlers.test.things", "counter", "Things.", ("kind",))
    metrics = Metrics([instrument], max_series=3)
    for number in range(5):
        metrics.count("butlers.test.things", kind=str(number))
    metrics.count("butlers.test.things", kind="0")
    text = metrics.expose()[0].decode()
    assert len(re.findall(r"^butlers_test_things_total\{", text, re.MULTILINE)) == 3
    assert 'butlers_metric_series_dropped_total{metric="butlers.test.things"} 2.0' in text
    assert metrics.value("butlers.test.things", kind="0") == 2


def test_every_metric_is_in_the_reference() -> None:
    page = Path(__file__).parents[4].joinpath("docs/reference/metrics.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `butlers")]
    # Two processes may tell the same thing, the operator with the namespace: each has its own row.
    for instrument in (*PROCESS, *ALL, *OPERATOR):
        named = [row for row in rows if row.split("`")[1] == prometheus_name(instrument)]
        row = next(row for row in named if instrument.help in row)
        assert instrument.kind in row
        assert all(f"`{label}`" in row for label in instrument.labels)
        rows.remove(row)
    assert rows == []
