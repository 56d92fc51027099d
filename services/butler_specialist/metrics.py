"""Metrics of routed work, under the names of CON-4.4; also the queue's observer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from butler_kit.telemetry import Metrics

__all__ = ["BookingOutcome", "CalendarMetrics", "ReminderMetrics", "RouteMetrics", "ScheduleMetrics"]

BookingOutcome = Literal["booked", "there", "conflict", "refused", "removed", "off", "put_off"]


@dataclass(frozen=True, slots=True)
class RouteMetrics:
    """`metrics` must declare `ROUTE` and `BUFFER`."""

    metrics: Metrics

    def acknowledged(self, milliseconds: float) -> None:
        self.metrics.observe("butlers.route.accept_latency_ms", milliseconds)

    def queued(self) -> None:
        self.metrics.add("butlers.route.queue_depth", 1)

    def ended(self) -> None:
        self.metrics.add("butlers.route.queue_depth", -1)

    def depth(self, rows: int) -> None:
        """Set the depth to the database's count: replicas share the queue."""
        self.metrics.set("butlers.route.queue_depth", rows)

    def enqueued(self, path: Literal["hot", "cold"]) -> None:
        self.metrics.count("butlers.buffer.enqueue_total", path=path)

    def backpressure(self, lane: str) -> None:
        self.metrics.count("butlers.buffer.backpressure_total", lane=lane)

    def recovered(self, count: int) -> None:
        self.metrics.count("butlers.buffer.scanner_recovered_total", count)

    def taken(self, lane: str, *, starvation_override: bool) -> None:
        """Do nothing: tiers are counted at the Switchboard."""

    def waited_ms(self, milliseconds: float) -> None:
        self.metrics.observe("butlers.route.process_latency_ms", milliseconds)


@dataclass(frozen=True, slots=True)
class ReminderMetrics:
    """`metrics` must declare `REMINDER`."""

    metrics: Metrics

    def told(self, outcome: Literal["sent", "missed", "refused"]) -> None:
        self.metrics.count("butlers.reminder.told", outcome=outcome)

    def late(self, milliseconds: float) -> None:
        self.metrics.observe("butlers.reminder.lateness_ms", milliseconds)

    def waiting(self, reminders: int) -> None:
        self.metrics.set("butlers.reminder.waiting", reminders)


@dataclass(frozen=True, slots=True)
class CalendarMetrics:
    """`metrics` must declare `CALENDAR`."""

    metrics: Metrics

    def answered(self, outcome: BookingOutcome) -> None:
        self.metrics.count("butlers.calendar.appointment", outcome=outcome)

    def invited(self, outcome: str) -> None:
        """`outcome` is one of `invited.decide.What`, `too_many`, or `stranger`."""
        self.metrics.count("butlers.calendar.invitation", outcome=outcome)


@dataclass(frozen=True, slots=True)
class ScheduleMetrics:
    """`metrics` must declare `SCHEDULE`."""

    metrics: Metrics

    def ran(self, schedule: str, outcome: str) -> None:
        self.metrics.count("butlers.schedule.run", schedule=schedule, outcome=outcome)
