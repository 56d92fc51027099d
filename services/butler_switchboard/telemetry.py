"""Turns what Switchboard's parts report into metrics under the specified names (SWB-41.1, SWB-42, D30)."""

from __future__ import annotations

from typing import Final

from butler_kit.telemetry import Metrics
from butler_switchboard.ingress.rows import AdmissionRow

__all__ = ["SwitchboardEvents"]

_SB: Final = "butlers.switchboard."


class SwitchboardEvents:
    """The one place where an event meets a metric; every part sees only its own few methods."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def accepted(self, row: AdmissionRow, *, strategy: str, duplicate: bool, seconds: float) -> None:
        if duplicate:
            self._metrics.count(_SB + "message_deduplicated", channel=row.channel, strategy=strategy)
        else:
            self._metrics.count(_SB + "message_received", channel=row.channel, policy_tier=row.policy_tier)
        self._metrics.observe(_SB + "ingress_accept_latency_ms", seconds * 1000, channel=row.channel)

    def refused(self, channel: str, error_class: str) -> None:
        self._metrics.count(_SB + "message_refused", channel=channel, error_class=error_class)

    def overflowed(self, channel: str) -> None:
        self._metrics.count(_SB + "message_overload_rejected", channel=channel)

    def tier_lowered(self, channel: str) -> None:
        self._metrics.count(_SB + "tier_clamped", channel=channel)

    def triaged(self, decision: str, rule_type: str) -> None:
        self._metrics.count(_SB + "triage_decision", decision=decision, rule_type=rule_type)

    def conflict(self, channel: str) -> None:
        self._metrics.count(_SB + "message_conflict", channel=channel)

    def routed(self, *, family: str, reason: str, fallback: bool, seconds: float) -> None:
        kind = reason.partition(":")[0]
        self._metrics.count(_SB + "routing_decision", outcome=kind, family=family)
        if fallback:
            self._metrics.count(_SB + "fallback_to_general", reason=kind)
        self._metrics.observe(_SB + "routing_decision_latency_ms", seconds * 1000, family=family)

    def dispatched(self, target: str, fanout_mode: str) -> None:
        self._metrics.count(_SB + "subroute_dispatched", target=target, fanout_mode=fanout_mode)

    def ended(self, target: str, outcome: str, seconds: float | None) -> None:
        self._metrics.count(_SB + "subroute_result", target=target, outcome=outcome)
        if seconds is not None:
            self._metrics.observe(_SB + "subroute_latency_ms", seconds * 1000, target=target, outcome=outcome)

    def late(self, target: str) -> None:
        self._metrics.count(_SB + "subroute_late", target=target)

    def retried(self, target: str, error_class: str) -> None:
        self._metrics.count(_SB + "retry_attempt", target=target, error_class=error_class)

    def circuit_transition(self, target: str, state: str) -> None:
        self._metrics.count(_SB + "circuit_transition", target=target, state=state)

    def circuits_open(self, count: int) -> None:
        self._metrics.set(_SB + "circuit_open_targets", count)

    def progressed(self) -> None:
        self._metrics.count(_SB + "lifecycle_transition", state="PROGRESS")

    def concluded(self, channel: str, state: str, *, seconds: float, interactive: bool) -> None:
        self._metrics.count(_SB + "lifecycle_transition", state=state.upper())
        self._metrics.observe(_SB + "fanout_completion_latency_ms", seconds * 1000, outcome=state)
        if interactive:
            self._metrics.observe(
                _SB + "interactive_terminal_latency_ms", seconds * 1000, channel=channel, state=state.upper()
            )

    def eligibility_changed(self, butler: str, state: str) -> None:
        self._metrics.count(_SB + "eligibility_transition", butler=butler, state=state)

    def connector_beat(self, connector_type: str, status: str) -> None:
        self._metrics.count(_SB + "connector_heartbeat", connector_type=connector_type, status=status)

    def schedule_ran(self, job: str, outcome: str) -> None:
        self._metrics.count(_SB + "schedule_run", job=job, outcome=outcome)

    def waiting(self, by_tier: dict[str, int]) -> None:
        """Gauges over the durable queue: what waits by tier, and everything unfinished."""
        for tier, count in by_tier.items():
            self._metrics.set(_SB + "queue_depth", count, policy_tier=tier)
        self._metrics.set(_SB + "inflight_requests", sum(by_tier.values()))
