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
    _gauge("butlers.service.event_loop_lag_ms", "How late the event loop woke up last, looked at every 5 s."),
    _gauge("butlers.service.ready", "1 while the process serves, 0 while it starts or drains."),
    _counter("butlers.service.task_restarts", "Background tasks that were started again.", "task"),
    _counter("butlers.mcp.tool_calls", "Tool calls that were served.", "tool", "outcome"),
    _counter("butlers.metric.series_dropped", "Samples left out at the series limit.", "metric"),
)

BUFFER: Final = (
    _gauge("butlers.buffer.queue_depth", "Messages in the in-memory queues.", "lane"),
    _counter("butlers.buffer.enqueue_total", "Messages put into the in-memory queues.", "path"),
    _counter("butlers.buffer.backpressure_total", "Messages left to the scanner: queue full.", "lane"),
    _counter("butlers.buffer.scanner_recovered_total", "Messages that the scanner took up."),
    _histogram("butlers.buffer.process_latency_ms", "From receipt to the start of processing."),
)

SPAWNER: Final = (
    _gauge("butlers.spawner.active_sessions", "Sessions that run now."),
    _gauge("butlers.spawner.queued_triggers", "Triggers that wait for a session."),
    _histogram("butlers.spawner.session_duration_ms", "How long a session ran.", "outcome"),
    _counter(
        "butlers.model.tokens",
        "Tokens that models took, read (input) or wrote (output).",
        "model",
        "direction",
    ),
    _counter("butlers.model.cost_microcents", "What they cost, in millionths of a cent.", "model"),
    _counter("butlers.budget.refused", "Sessions that a budget ended or did not let begin.", "bound"),
)

ROUTE: Final = (
    _histogram("butlers.route.accept_latency_ms", "Time until a routed request was acknowledged."),
    _gauge("butlers.route.queue_depth", "Accepted requests that are not processed yet."),
    _histogram("butlers.route.process_latency_ms", "From acceptance to the start of processing."),
)

REMINDER: Final = (
    _counter("butlers.reminder.told", "Reminders told: sent, reported missed, or refused.", "outcome"),
    _histogram("butlers.reminder.lateness_ms", "From a reminder's moment to its telling, of those sent."),
    _gauge("butlers.reminder.waiting", "Reminders that are to come."),
)

CALENDAR: Final = (
    _counter(
        "butlers.calendar.appointment",
        "Answers of the calendar to appointments: booked, there, conflict, refused, removed, off, or put off.",
        "outcome",
    ),
    _counter(
        "butlers.calendar.invitation",
        "Appointments of invitations that came by mail, by what became of each.",
        "outcome",
    ),
)

SCHEDULE: Final = (
    _counter(
        "butlers.schedule.run",
        "Runs of schedules with a prompt: done, failed, missed, or uncertain.",
        "schedule",
        "outcome",
    ),
)

_SB: Final = "butlers.switchboard."
SWITCHBOARD: Final = (
    _counter(_SB + "message_received", "Messages accepted.", "channel", "policy_tier"),
    _counter(_SB + "message_deduplicated", "Submissions that were a known message.", "channel", "strategy"),
    _counter(_SB + "message_conflict", "Known keys that came with other content (D7).", "channel"),
    _counter(_SB + "message_refused", "Submissions that were refused.", "channel", "error_class"),
    _counter(
        _SB + "message_overload_rejected", "Submissions refused because their tier was full.", "channel"
    ),
    _counter(_SB + "backlog_overflow", "What became of messages of a full tier.", "policy_tier", "outcome"),
    _counter(_SB + "tier_unknown", "Unknown policy tiers, taken for `default`.", "channel"),
    _counter(_SB + "tier_clamped", "Tiers lowered to the caller's limit (D3).", "channel"),
    _counter(_SB + "triage_decision", "Triage results.", "decision", "rule_type"),
    _counter(_SB + "routing_decision", "Routing results.", "outcome", "family"),
    _counter(_SB + "fallback_to_general", "Messages that went to general for want of a decision.", "reason"),
    _counter(_SB + "subroute_dispatched", "Subroutes sent to a butler.", "target", "fanout_mode"),
    _counter(_SB + "subroute_result", "Subroutes that ended (route success rate).", "target", "outcome"),
    _counter(_SB + "subroute_late", "Responses that came after their end.", "target"),
    _counter(_SB + "contradiction", "Answers that contradicted each other.", "decided_by"),
    _counter(_SB + "retry_attempt", "Subroutes tried again.", "target", "error_class"),
    _counter(_SB + "circuit_transition", "Changes of a target's circuit.", "target", "state"),
    _counter(_SB + "lifecycle_transition", "Changes of a request's state.", "state"),
    _counter(_SB + "eligibility_transition", "Changes of a butler's eligibility.", "butler", "state"),
    _counter(_SB + "connector_heartbeat", "Heartbeats of connectors.", "connector_type", "status"),
    _counter(_SB + "schedule_run", "Runs of scheduled jobs.", "job", "outcome"),
    _counter(_SB + "audit_write_failed", "Audit entries that could not be written.", "action"),
    _counter(_SB + "queue.dequeue_by_tier", "Messages taken, by tier.", "policy_tier", "starvation_override"),
    _histogram(_SB + "ingress_accept_latency_ms", "From submission to acceptance.", "channel"),
    _histogram(_SB + "routing_decision_latency_ms", "Time of one routing decision.", "family"),
    _histogram(_SB + "subroute_latency_ms", "From dispatch to the end of a subroute.", "target", "outcome"),
    _histogram(_SB + "fanout_completion_latency_ms", "From receipt to the end of all subroutes.", "outcome"),
    _histogram(
        _SB + "interactive_terminal_latency_ms", "From PROGRESS to PARSED or ERRORED.", "channel", "state"
    ),
    _gauge(_SB + "queue_depth", "Messages waiting, in memory and on disk.", "policy_tier"),
    _gauge(_SB + "inflight_requests", "Requests that are accepted and not finished."),
    _gauge(_SB + "circuit_open_targets", "Targets whose circuit is open."),
    _gauge(_SB + "connectors", "Connectors by liveness.", "liveness"),
    _gauge("butlers.rollup.lag_seconds", "Closed windows of statistics that wait, in seconds.", "job"),
    _gauge(
        _SB + "routing_drift", "Slices in which routing is no longer what it was.", "dimension", "measure"
    ),
    _gauge(_SB + "rollout", "1 for the state of the candidate that is tried for routing.", "state"),
    _gauge(_SB + "rollout_decisions", "Decisions of either arm since a candidate is tried.", "arm"),
)

_MS: Final = "butlers.messenger."
_DELIVERY: Final = ("channel", "intent", "identity_scope", "outcome", "error_class", "origin_butler")
"""The attributes MSG-14.1 requires; one that does not apply is the empty string."""
MESSENGER: Final = (
    _counter(_MS + "delivery_requested", "Deliveries asked for.", *_DELIVERY),
    _counter(_MS + "delivery_deduplicated", "Requests for a delivery that is known.", *_DELIVERY),
    _counter(_MS + "delivery_sent", "Deliveries that the provider took.", *_DELIVERY),
    _counter(_MS + "delivery_failed", "Deliveries that ended without being sent.", *_DELIVERY),
    _counter(_MS + "retry_attempt", "Provider calls that were tried again.", *_DELIVERY),
    _counter(_MS + "admission_rejected", "Requests that were refused, whatever for.", *_DELIVERY),
    _counter(_MS + "rate_limited", "Requests refused because a budget is used up.", *_DELIVERY, "dimension"),
    _counter(_MS + "circuit_transition", "Changes of a channel's circuit.", "channel", "state"),
    _gauge(_MS + "circuit_open", "1 while a channel's circuit is open or half-open, else 0.", "channel"),
    _counter(_MS + "slo_transition", "Changes of a channel's service level.", "channel", "state"),
    _gauge(_MS + "slo_tight", "1 while a channel's messages that answer nothing are slowed down.", "channel"),
    _gauge(_MS + "slo_burn", "How many times too fast a channel's error budget is used.", "channel"),
    _gauge(_MS + "contacts_current", "1 while the contacts file is in use, 0 while it cannot be used."),
    _gauge(
        _MS + "records_available", "1 while a channel's records of sent messages can be asked.", "channel"
    ),
    _counter(_MS + "attachment", "Looks at a store for a file, by what became of it.", "channel", "outcome"),
    _counter(
        _MS + "inbox_asked", "Questions to the household's mailbox by the inbox tools.", "tool", "outcome"
    ),
    _counter(_MS + "inbox_mail", "Mails that the inbox tools handed to Switchboard.", "outcome"),
    _histogram(_MS + "delivery_latency_ms", "From admission to the end of a delivery.", *_DELIVERY),
    _histogram(_MS + "provider_latency_ms", "Time of one provider call.", *_DELIVERY),
    _histogram(_MS + "queue_wait_ms", "From admission to the first provider call.", *_DELIVERY),
)
