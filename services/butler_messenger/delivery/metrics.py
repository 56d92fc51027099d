"""The metrics of deliveries, always with the attributes of MSG-14.1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from butler_contracts.errors import ButlerError
from butler_contracts.notify import NotifyRequestV1
from butler_kit.telemetry import Metrics
from butler_messenger.admission.limits import RateLimited
from butler_messenger.delivery.records import Delivery
from butler_messenger.service_levels.tally import Tally

__all__ = ["DeliveryMetrics"]

_PREFIX: Final = "butlers.messenger."
_SCOPE: Final = "bot"


@dataclass(frozen=True, slots=True)
class DeliveryMetrics:
    """Counts and times deliveries; ids and addresses are never labels."""

    metrics: Metrics
    tally: Tally = field(default_factory=Tally)
    """The same counts of requests, for the database (MSG-15)."""

    def requested(self, notify: NotifyRequestV1) -> None:
        self.tally.asked(notify.delivery.channel)
        self.metrics.count(f"{_PREFIX}delivery_requested", **_of_notify(notify, outcome="requested"))

    def deduplicated(self, delivery: Delivery) -> None:
        self.metrics.count(f"{_PREFIX}delivery_deduplicated", **_of(delivery, outcome=delivery.status.value))

    def rejected(self, notify: NotifyRequestV1, error: ButlerError) -> None:
        self.tally.refused(notify.delivery.channel, error)
        labels = _of_notify(notify, outcome="rejected", error_class=error.error_class.value)
        self.metrics.count(f"{_PREFIX}admission_rejected", **labels)
        if isinstance(error, RateLimited):
            self.metrics.count(f"{_PREFIX}rate_limited", **labels, dimension=error.dimension)

    def started(self, delivery: Delivery, *, waited_ms: float) -> None:
        self.metrics.observe(f"{_PREFIX}queue_wait_ms", waited_ms, **_of(delivery, outcome="started"))

    def called(self, delivery: Delivery, *, outcome: str, error_class: str, latency_ms: float) -> None:
        labels = _of(delivery, outcome=outcome, error_class=error_class)
        self.metrics.observe(f"{_PREFIX}provider_latency_ms", latency_ms, **labels)

    def retried(self, delivery: Delivery, *, error_class: str) -> None:
        self.metrics.count(
            f"{_PREFIX}retry_attempt", **_of(delivery, outcome="retry", error_class=error_class)
        )

    def file(self, channel: str, outcome: str) -> None:
        """Count what became of a file of a delivery (ADR 0103)."""
        self.metrics.count(f"{_PREFIX}attachment", channel=channel, outcome=outcome)

    def ended(self, delivery: Delivery) -> None:
        """Count the end of a delivery that reached a terminal state."""
        failure = delivery.failure
        labels = _of(
            delivery,
            outcome=delivery.status.value,
            error_class=failure.error_class.value if failure is not None else "",
        )
        name = "delivery_sent" if delivery.status.value == "sent" else "delivery_failed"
        self.metrics.count(f"{_PREFIX}{name}", **labels)
        if delivery.terminal_at is not None:
            lasted_ms = (delivery.terminal_at - delivery.created_at).total_seconds() * 1000
            self.metrics.observe(f"{_PREFIX}delivery_latency_ms", lasted_ms, **labels)


def _of_notify(notify: NotifyRequestV1, *, outcome: str, error_class: str = "") -> dict[str, str]:
    return {
        "channel": notify.delivery.channel,
        "intent": notify.delivery.intent,
        "identity_scope": _SCOPE,
        "outcome": outcome,
        "error_class": error_class,
        "origin_butler": notify.origin_butler,
    }


def _of(delivery: Delivery, *, outcome: str, error_class: str = "") -> dict[str, str]:
    return {
        "channel": delivery.channel,
        "intent": delivery.intent,
        "identity_scope": delivery.identity_scope,
        "outcome": outcome,
        "error_class": error_class,
        "origin_butler": delivery.origin_butler,
    }
