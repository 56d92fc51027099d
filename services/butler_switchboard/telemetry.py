"""The metrics of every part of Switchboard, under the names of the specification (SWB-41.1, SWB-42, D31).

`SwitchboardMetrics` fits the event protocols of intake, planner, dispatcher, advance, breakers, registry and schedules;
`Gauges` samples what only the database knows. Labels come from small sets: never an id, an address or a text.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from butler_contracts.ingest import SourceChannel
from butler_kit.queue import LANES
from butler_kit.service import repeat
from butler_kit.telemetry import BufferMetrics, Metrics
from butler_switchboard.ingress.rows import AdmissionRow
from butler_switchboard.registry.liveness import Liveness
from butler_switchboard.rollouts.judging import State
from butler_switchboard.rollouts.trial import Arm

__all__ = ["Gauges", "SwitchboardMetrics"]

_SB: Final = "butlers.switchboard."
SAMPLE_S: Final = 5.0


class SwitchboardMetrics(BufferMetrics):
    """One object for all events; it never raises and never waits.

    What an alert takes a rate of begins at 0: of a series that is born at 1 nobody sees the first burst.
    """

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(metrics)
        for channel in SourceChannel:
            metrics.count(_SB + "message_overload_rejected", 0, channel=channel.value)

    def accepted(self, row: AdmissionRow, *, strategy: str, duplicate: bool, seconds: float) -> None:
        """Record an answered submission: ingress acceptance latency (SWB-41.1)."""
        if duplicate:
            self.metrics.count(_SB + "message_deduplicated", channel=row.channel, strategy=strategy)
        else:
            self.metrics.count(_SB + "message_received", channel=row.channel, policy_tier=row.policy_tier)
            self.metrics.count(_SB + "lifecycle_transition", state=row.lifecycle_state)
        self.metrics.observe(_SB + "ingress_accept_latency_ms", seconds * 1000, channel=row.channel)

    def refused(self, channel: str, error_class: str) -> None:
        self.metrics.count(_SB + "message_refused", channel=channel, error_class=error_class)

    def overload_rejected(self, channel: str) -> None:
        self.metrics.count(_SB + "message_overload_rejected", channel=channel)

    def overflowed(self, policy_tier: str, outcome: str, count: int = 1) -> None:
        """Count what happened to the next messages of a full tier (SWB-14.2)."""
        self.metrics.count(_SB + "backlog_overflow", count, policy_tier=policy_tier, outcome=outcome)

    def tier_lowered(self, channel: str) -> None:
        self.metrics.count(_SB + "tier_clamped", channel=channel)

    def tier_unknown(self, channel: str) -> None:
        """Count an unknown policy tier that was treated as `default` (SWB-07.3)."""
        self.metrics.count(_SB + "tier_unknown", channel=channel)

    def triaged(self, decision: str, rule_type: str) -> None:
        self.metrics.count(_SB + "triage_decision", decision=decision, rule_type=rule_type)

    def conflict(self, channel: str) -> None:
        self.metrics.count(_SB + "message_conflict", channel=channel)

    def routed(self, *, family: str, reason: str, fallback: bool, seconds: float) -> None:
        """Record a decided plan; `reason` is `class` or `class:detail`, and only the class is kept."""
        kind = reason.partition(":")[0]
        self.metrics.count(_SB + "routing_decision", outcome=kind, family=family)
        if fallback:
            self.metrics.count(_SB + "fallback_to_general", reason=kind)
        self.metrics.observe(_SB + "routing_decision_latency_ms", seconds * 1000, family=family)

    def dispatched(self, target: str, fanout_mode: str) -> None:
        self.metrics.count(_SB + "subroute_dispatched", target=target, fanout_mode=fanout_mode)

    def ended(self, target: str, outcome: str, seconds: float | None, *, again: bool = False) -> None:
        """Record the end of a branch, `ok` or its error class: the route success rate (SWB-41.1).

        `again`: somebody had its part done again, or taken back.
        """
        self.metrics.count(_SB + "subroute_result", target=target, outcome=outcome)
        if seconds is not None:
            self.metrics.observe(_SB + "subroute_latency_ms", seconds * 1000, target=target, outcome=outcome)

    def late(self, target: str) -> None:
        self.metrics.count(_SB + "subroute_late", target=target)

    def retried(self, target: str, error_class: str) -> None:
        self.metrics.count(_SB + "retry_attempt", target=target, error_class=error_class)

    def circuit_transition(self, target: str, state: str) -> None:
        self.metrics.count(_SB + "circuit_transition", target=target, state=state)

    def circuits_open(self, count: int) -> None:
        self.metrics.set(_SB + "circuit_open_targets", count)

    def progressed(self) -> None:
        self.metrics.count(_SB + "lifecycle_transition", state="progress")

    def concluded(self, channel: str, state: str, *, seconds: float, interactive: bool) -> None:
        """Record a request's end: fan-out completion, for people PROGRESS to PARSED or ERRORED (SWB-41.1)."""
        self.metrics.count(_SB + "lifecycle_transition", state=state)
        self.metrics.observe(_SB + "fanout_completion_latency_ms", seconds * 1000, outcome=state)
        if interactive:
            name = _SB + "interactive_terminal_latency_ms"
            self.metrics.observe(name, seconds * 1000, channel=channel, state=state)

    def contradicted(self, decided_by: str) -> None:
        """Count a contradiction between butlers by what decided it, or that nothing did (SWB-29.1)."""
        self.metrics.count(_SB + "contradiction", decided_by=decided_by)

    def ended_untimed(self, state: str) -> None:
        """Count the end alone: its duration reflects whoever stepped in, and is neither good nor bad (ADR 0075)."""
        self.metrics.count(_SB + "lifecycle_transition", state=state)

    def eligibility_changed(self, butler: str, state: str) -> None:
        self.metrics.count(_SB + "eligibility_transition", butler=butler, state=state)

    def connector_beat(self, connector_type: str, status: str) -> None:
        self.metrics.count(_SB + "connector_heartbeat", connector_type=connector_type, status=status)

    def schedule_ran(self, job: str, outcome: str) -> None:
        self.metrics.count(_SB + "schedule_run", job=job, outcome=outcome)

    def rollup_lag(self, job: str, seconds: float) -> None:
        """Set how long closed windows of a job have waited (D40)."""
        self.metrics.set("butlers.rollup.lag_seconds", seconds, job=job)

    def routing_drift(self, dimension: str, measure: str, slices: int) -> None:
        """Set how many slices of a dimension have drifted (SWB-37.1)."""
        self.metrics.set(_SB + "routing_drift", slices, dimension=dimension, measure=measure)

    def service_level(self, *, tight: bool, burn: float) -> None:
        """Set whether the service levels are missed, and how fast their fullest budget burns (SWB-41.1)."""
        self.metrics.set(_SB + "slo_tight", int(tight))
        self.metrics.set(_SB + "slo_burn", burn)

    def service_level_changed(self, state: str) -> None:
        self.metrics.count(_SB + "slo_transition", state=state)

    def rollout(self, state: State, decisions: Mapping[Arm, int]) -> None:
        """Set the state of the manifest's candidate and the number of decisions of each arm (SWB-36.1)."""
        for one in State:
            self.metrics.set(_SB + "rollout", int(one is state), state=one.value)
        for arm, count in decisions.items():
            self.metrics.set(_SB + "rollout_decisions", count, arm=arm.value)


class Gauges:
    """Samples queue depths and connectors every few seconds; an outage leaves the last values."""

    def __init__(
        self,
        metrics: Metrics,
        *,
        waiting: Callable[[], Awaitable[Mapping[str, int]]],
        buffered: Callable[[str], int],
        connectors: Callable[[], Awaitable[Sequence[Mapping[str, Any]]]],
        every_s: float = SAMPLE_S,
    ) -> None:
        self._metrics = metrics
        self._waiting = waiting
        self._buffered = buffered
        self._connectors = connectors
        self._every_s = every_s

    async def run(self, stopping: asyncio.Event) -> None:
        """Sample until stopped."""
        await repeat(self.sample, every_s=self._every_s, stopping=stopping, what="gauges")

    async def sample(self) -> None:
        """Set every gauge once; a lane or state without members is 0."""
        waiting = await self._waiting()
        for lane in LANES:
            self._metrics.set(_SB + "queue_depth", waiting.get(lane, 0), policy_tier=lane)
            self._metrics.set("butlers.buffer.queue_depth", self._buffered(lane), lane=lane)
        self._metrics.set(_SB + "inflight_requests", sum(waiting.values()))
        declared = [row for row in await self._connectors() if row["undeclared_at"] is None]
        alive = Counter(row["liveness"] for row in declared)
        for state in Liveness:
            self._metrics.set(_SB + "connectors", alive[state.value], liveness=state.value)
