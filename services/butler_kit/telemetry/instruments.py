"""Every metric of the message plane, declared once as data (SWB-41.1, SWB-42, MSG-14.1, CON-4).

Names are the specification's; Prometheus shows them with underscores, counters with `_total`.
Label values are from closed or small sets: never an id, an address or a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = [
    "BUFFER",
    "CALENDAR",
    "MESSENGER",
    "PROCESS",
    "REMINDER",
    "ROUTE",
    "SCHEDULE",
    "SPAWNER",
    "SWITCHBOARD",
    "Instrument",
    "prometheus_name",
]

Kind = Literal["counter", "gauge", "histogram"]
MS_BUCKETS: Final = (1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 120_000, 900_000)


@dataclass(frozen=True, slots=True)
class Instrument:
    """One metric: its specified name, what it counts, and the labels it always has."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = MS_BUCKETS


def prometheus_name(instrument: Instrument) -> str:
    """Return the name as `/metrics` shows it."""
    name = instrument.name.replace(".", "_")
    return name if instrument.kind != "counter" or name.endswith("_total") else f"{name}_total"


def _counter(name: str, text: str, *labels: str) -> Instrument:
    return Instrument(name, "counter", text, labels)


def _gauge(name: str, text: str, *labels: str) -> Instrument:
    return Instrument(name, "gauge", text, labels)


def _histogram(name: str, text: str, *labels: str) -> Instrument:
    return Instrument(name, "histogram", text, labels)


PROCESS: Final = (
    _gauge("butlers.service.event_loop_lag_ms", "Last measured delay of the event loop, sampled every 5 s."),
    _gauge("butlers.service.ready", "1 while the process serves, 0 while it starts or drains."),
    _counter("butlers.service.task_restarts", "Restarts of background tasks.", "task"),
    _counter("butlers.mcp.tool_calls", "Tool calls served.", "tool", "outcome"),
    _counter("butlers.metric.series_dropped", "Samples dropped at the series limit.", "metric"),
)

BUFFER: Final = (
    _gauge("butlers.buffer.queue_depth", "Messages in the in-memory queues.", "lane"),
    _counter("butlers.buffer.enqueue_total", "Messages added to the in-memory queues.", "path"),
    _counter(
        "butlers.buffer.backpressure_total", "Messages left to the scanner because a queue was full.", "lane"
    ),
    _counter("butlers.buffer.scanner_recovered_total", "Messages picked up by the scanner."),
    _histogram("butlers.buffer.process_latency_ms", "Time from receipt to the start of processing."),
)

SPAWNER: Final = (
    _gauge("butlers.spawner.active_sessions", "Running sessions."),
    _gauge("butlers.spawner.queued_triggers", "Triggers waiting for a session."),
    _histogram("butlers.spawner.session_duration_ms", "Duration of a session.", "outcome"),
    _counter(
        "butlers.model.tokens",
        "Tokens used by models, read (input) or written (output).",
        "model",
        "direction",
    ),
    _counter("butlers.model.cost_microcents", "Cost of models, in millionths of a cent.", "model"),
    _counter("butlers.budget.refused", "Sessions ended or refused by a budget.", "bound"),
)

ROUTE: Final = (
    _histogram("butlers.route.accept_latency_ms", "Time until a routed request is acknowledged."),
    _gauge("butlers.route.queue_depth", "Accepted requests not yet processed."),
    _histogram("butlers.route.process_latency_ms", "Time from acceptance to the start of processing."),
)

REMINDER: Final = (
    _counter("butlers.reminder.told", "Reminders by outcome: sent, reported missed, or refused.", "outcome"),
    _histogram("butlers.reminder.lateness_ms", "Delay of sent reminders after their due time."),
    _gauge("butlers.reminder.waiting", "Pending reminders."),
)

CALENDAR: Final = (
    _counter(
        "butlers.calendar.appointment",
        "Calendar results for appointments: booked, there, conflict, refused, removed, off, or put off.",
        "outcome",
    ),
    _counter(
        "butlers.calendar.invitation",
        "Appointments from mail invitations, by outcome.",
        "outcome",
    ),
)

SCHEDULE: Final = (
    _counter(
        "butlers.schedule.run",
        "Runs of scheduled prompts: done, failed, missed, or uncertain.",
        "schedule",
        "outcome",
    ),
)

_SB: Final = "butlers.switchboard."
SWITCHBOARD: Final = (
    _counter(_SB + "message_received", "Messages accepted.", "channel", "policy_tier"),
    _counter(_SB + "message_deduplicated", "Submissions of a known message.", "channel", "strategy"),
    _counter(_SB + "message_conflict", "Known keys submitted with different content (D7).", "channel"),
    _counter(_SB + "message_refused", "Submissions refused.", "channel", "error_class"),
    _counter(
        _SB + "message_overload_rejected", "Submissions refused because their tier was full.", "channel"
    ),
    _counter(
        _SB + "backlog_overflow",
        "Messages over the limit of a full tier, by outcome.",
        "policy_tier",
        "outcome",
    ),
    _counter(_SB + "tier_unknown", "Unknown policy tiers, treated as `default`.", "channel"),
    _counter(_SB + "tier_clamped", "Tiers lowered to the caller's limit (D3).", "channel"),
    _counter(_SB + "triage_decision", "Triage results.", "decision", "rule_type"),
    _counter(_SB + "routing_decision", "Routing results.", "outcome", "family"),
    _counter(_SB + "fallback_to_general", "Messages routed to general for lack of a decision.", "reason"),
    _counter(_SB + "subroute_dispatched", "Subroutes sent to a butler.", "target", "fanout_mode"),
    _counter(_SB + "subroute_result", "Finished subroutes (route success rate).", "target", "outcome"),
    _counter(_SB + "subroute_late", "Responses received after the subroute ended.", "target"),
    _counter(_SB + "contradiction", "Answers that contradicted each other.", "decided_by"),
    _counter(_SB + "retry_attempt", "Retries of subroutes.", "target", "error_class"),
    _counter(_SB + "circuit_transition", "State changes of a target's circuit.", "target", "state"),
    _counter(_SB + "lifecycle_transition", "State changes of requests.", "state"),
    _counter(_SB + "eligibility_transition", "State changes of a butler's eligibility.", "butler", "state"),
    _counter(_SB + "connector_heartbeat", "Heartbeats of connectors.", "connector_type", "status"),
    _counter(_SB + "schedule_run", "Runs of scheduled jobs.", "job", "outcome"),
    _counter(_SB + "audit_write_failed", "Audit entries that could not be written.", "action"),
    _counter(
        _SB + "queue.dequeue_by_tier",
        "Messages taken from the queue, by tier.",
        "policy_tier",
        "starvation_override",
    ),
    _histogram(_SB + "ingress_accept_latency_ms", "Time from submission to acceptance.", "channel"),
    _histogram(_SB + "routing_decision_latency_ms", "Duration of a routing decision.", "family"),
    _histogram(
        _SB + "subroute_latency_ms", "Time from dispatch to the end of a subroute.", "target", "outcome"
    ),
    _histogram(
        _SB + "fanout_completion_latency_ms", "Time from receipt to the end of all subroutes.", "outcome"
    ),
    _histogram(
        _SB + "interactive_terminal_latency_ms",
        "Time from PROGRESS to PARSED or ERRORED.",
        "channel",
        "state",
    ),
    _gauge(_SB + "queue_depth", "Messages waiting, in memory and on disk.", "policy_tier"),
    _gauge(_SB + "inflight_requests", "Accepted requests not yet finished."),
    _gauge(_SB + "circuit_open_targets", "Targets with an open circuit."),
    _gauge(_SB + "connectors", "Connectors by liveness.", "liveness"),
    _gauge(
        "butlers.rollup.lag_seconds",
        "Lag of the statistics: complete windows not yet computed, in seconds.",
        "job",
    ),
    _gauge(_SB + "routing_drift", "Slices in which routing has drifted.", "dimension", "measure"),
    _counter(_SB + "slo_transition", "State changes of the service level.", "state"),
    _gauge(_SB + "slo_tight", "1 while the service level is missed and less is admitted of tier default."),
    _gauge(_SB + "slo_burn", "Burn rate of the fullest error budget."),
    _gauge(_SB + "rollout", "1 for the current state of the routing candidate.", "state"),
    _gauge(_SB + "rollout_decisions", "Decisions of each arm since the trial of the candidate began.", "arm"),
)

_MS: Final = "butlers.messenger."
_DELIVERY: Final = ("channel", "intent", "identity_scope", "outcome", "error_class", "origin_butler")
"""The attributes MSG-14.1 requires; one that does not apply is the empty string."""
MESSENGER: Final = (
    _counter(_MS + "delivery_requested", "Deliveries requested.", *_DELIVERY),
    _counter(_MS + "delivery_deduplicated", "Requests for a known delivery.", *_DELIVERY),
    _counter(_MS + "delivery_sent", "Deliveries accepted by the provider.", *_DELIVERY),
    _counter(_MS + "delivery_failed", "Deliveries that ended without being sent.", *_DELIVERY),
    _counter(_MS + "retry_attempt", "Retries of provider calls.", *_DELIVERY),
    _counter(_MS + "admission_rejected", "Requests refused, for any reason.", *_DELIVERY),
    _counter(_MS + "rate_limited", "Requests refused by a rate limit.", *_DELIVERY, "dimension"),
    _counter(_MS + "circuit_transition", "State changes of a channel's circuit.", "channel", "state"),
    _gauge(_MS + "circuit_open", "1 while a channel's circuit is open or half-open, else 0.", "channel"),
    _counter(_MS + "slo_transition", "State changes of a channel's service level.", "channel", "state"),
    _gauge(_MS + "slo_tight", "1 while a channel's messages other than replies are slowed down.", "channel"),
    _gauge(_MS + "slo_burn", "Burn rate of a channel's error budget.", "channel"),
    _gauge(_MS + "contacts_current", "1 while the contacts file is in use, 0 while it cannot be used."),
    _gauge(
        _MS + "records_available", "1 while a channel's records of sent messages can be queried.", "channel"
    ),
    _counter(_MS + "attachment", "Attempts to fetch a file from a store, by outcome.", "channel", "outcome"),
    _counter(
        _MS + "inbox_asked", "Queries of the household's mailbox by the inbox tools.", "tool", "outcome"
    ),
    _counter(_MS + "inbox_mail", "Mails submitted to Switchboard by the inbox tools.", "outcome"),
    _histogram(_MS + "delivery_latency_ms", "Time from admission to the end of a delivery.", *_DELIVERY),
    _histogram(_MS + "provider_latency_ms", "Duration of a provider call.", *_DELIVERY),
    _histogram(_MS + "queue_wait_ms", "Time from admission to the first provider call.", *_DELIVERY),
)
