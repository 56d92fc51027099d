"""Every event of Switchboard is counted under its specified name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_contracts.ingest import PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.triage import PASS_THROUGH
from butler_kit.queue import QueueObserver
from butler_kit.telemetry import BUFFER, SWITCHBOARD, Metrics
from butler_kit.time import new_uuid7
from butler_switchboard.dispatch.advance import LifecycleEvents
from butler_switchboard.dispatch.breakers import BreakerEvents
from butler_switchboard.dispatch.planner import PlannerEvents
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.intake import IntakeEvents
from butler_switchboard.ingress.rows import AdmissionRow
from butler_switchboard.ingress.senders import SenderDecision
from butler_switchboard.registry.butlers import ButlerEvents
from butler_switchboard.registry.connectors import ConnectorEvents
from butler_switchboard.schedules.scheduler import ScheduleEvents
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.support.switchboard import telegram

SB = "butlers.switchboard."


def a_row() -> AdmissionRow:
    envelope = telegram(1)
    sender = SenderDecision("household", "allow", False, "test")
    decisions = Decisions(dedupe_key(envelope), sender, PASS_THROUGH, PolicyTier.INTERACTIVE)
    return admission_row(envelope, new_uuid7(datetime.now(UTC)), decisions)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics((*SWITCHBOARD, *BUFFER))


@pytest.fixture
def events(metrics: Metrics) -> SwitchboardMetrics:
    return SwitchboardMetrics(metrics)


def test_one_object_serves_every_part(events: SwitchboardMetrics):
    parts: tuple[
        IntakeEvents,
        PlannerEvents,
        LifecycleEvents,
        BreakerEvents,
        QueueObserver,
        ButlerEvents,
        ConnectorEvents,
        ScheduleEvents,
    ] = (events, events, events, events, events, events, events, events)
    assert len(parts) == 8


def test_a_message_and_its_duplicate_are_told_apart(events: SwitchboardMetrics, metrics: Metrics):
    events.accepted(a_row(), strategy="connector_api", duplicate=False, seconds=0.02)
    events.accepted(a_row(), strategy="connector_api", duplicate=True, seconds=0.01)
    assert metrics.value(SB + "message_received", channel="telegram", policy_tier="interactive") == 1
    assert metrics.value(SB + "message_deduplicated", channel="telegram", strategy="connector_api") == 1
    assert metrics.value(SB + "ingress_accept_latency_ms", channel="telegram") == 2


@pytest.mark.spec("SWB-41.1")
def test_the_four_indicators_of_service_are_tracked(events: SwitchboardMetrics, metrics: Metrics):
    events.accepted(a_row(), strategy="connector_api", duplicate=False, seconds=0.02)
    events.ended("finance", "ok", 1.5)
    events.ended("health", "timeout", None)
    events.concluded("telegram", "parsed", seconds=2.0, interactive=True)
    events.concluded("email", "errored", seconds=3.0, interactive=False)
    shown = metrics.expose()[0].decode()
    assert 'butlers_switchboard_ingress_accept_latency_ms_sum{channel="telegram"} 20.0' in shown
    assert 'butlers_switchboard_fanout_completion_latency_ms_sum{outcome="parsed"} 2000.0' in shown
    assert 'butlers_switchboard_fanout_completion_latency_ms_sum{outcome="errored"} 3000.0' in shown
    assert 'butlers_switchboard_subroute_result_total{outcome="ok",target="finance"} 1.0' in shown
    assert 'butlers_switchboard_subroute_result_total{outcome="timeout",target="health"} 1.0' in shown
    terminal = "butlers_switchboard_interactive_terminal_latency_ms_sum"
    assert f'{terminal}{{channel="telegram",state="parsed"}} 2000.0' in shown
    assert f'{terminal}{{channel="email"' not in shown


@pytest.mark.spec("SWB-42.1")
def test_the_first_refusal_for_want_of_room_is_a_rise_from_nothing(
    events: SwitchboardMetrics, metrics: Metrics
):
    series = 'butlers_switchboard_message_overload_rejected_total{channel="telegram"}'
    assert f"{series} 0.0" in metrics.expose()[0].decode()
    events.overload_rejected("telegram")
    assert f"{series} 1.0" in metrics.expose()[0].decode()


def test_a_fallback_is_counted_by_its_class(events: SwitchboardMetrics, metrics: Metrics):
    events.routed(family="rules", reason="ineligible_target:finance", fallback=True, seconds=0.003)
    assert metrics.value(SB + "fallback_to_general", reason="ineligible_target") == 1
    assert metrics.value(SB + "routing_decision", outcome="ineligible_target", family="rules") == 1
    assert metrics.value(SB + "routing_decision_latency_ms", family="rules") == 1


def test_what_happens_on_the_way_is_counted(events: SwitchboardMetrics, metrics: Metrics):
    events.refused("api", "validation_error")
    events.overload_rejected("api")
    events.overflowed("interactive", "reject")
    events.tier_lowered("email")
    events.tier_unknown("email")
    events.triaged("route_to", "sender_domain")
    events.conflict("telegram")
    events.dispatched("finance", "parallel")
    events.retried("finance", "timeout")
    events.late("finance")
    events.contradicted("priority")
    events.circuit_transition("finance", "open")
    events.circuits_open(1)
    events.progressed()
    events.eligibility_changed("finance", "stale")
    events.connector_beat("imap", "restart")
    events.schedule_ran("eligibility-sweep", "done")
    counted = [
        ("message_refused", {"channel": "api", "error_class": "validation_error"}),
        ("message_overload_rejected", {"channel": "api"}),
        ("tier_clamped", {"channel": "email"}),
        ("triage_decision", {"decision": "route_to", "rule_type": "sender_domain"}),
        ("message_conflict", {"channel": "telegram"}),
        ("subroute_dispatched", {"target": "finance", "fanout_mode": "parallel"}),
        ("retry_attempt", {"target": "finance", "error_class": "timeout"}),
        ("subroute_late", {"target": "finance"}),
        ("contradiction", {"decided_by": "priority"}),
        ("circuit_transition", {"target": "finance", "state": "open"}),
        ("circuit_open_targets", {}),
        ("lifecycle_transition", {"state": "progress"}),
        ("eligibility_transition", {"butler": "finance", "state": "stale"}),
        ("connector_heartbeat", {"connector_type": "imap", "status": "restart"}),
        ("schedule_run", {"job": "eligibility-sweep", "outcome": "done"}),
    ]
    assert all(metrics.value(SB + name, **labels) == 1 for name, labels in counted)
