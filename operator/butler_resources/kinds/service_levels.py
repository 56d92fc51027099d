"""The block `delivery.slo` of the Messenger: how good deliveries are to be, and what follows when they are not."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["FastWindows", "Slo", "SlowWindows"]

THREE_DAYS = 259_200
LONG = "Seconds of the long window, which proves that a budget burns."
SHORT = "Seconds of the short window, which proves that it still does; less than longSeconds."
BURN = "How many times faster than it may a budget has to be used over both windows."


def _objective(events: str, default: float) -> float | None:
    """A share of good events."""
    field: float | None = setting(
        f"Share of {events}; what it leaves over is the error budget.", default=default, ge=0.5, le=0.9999
    )
    return field


def _shorter(short_s: float, long_s: float) -> tuple[Rule, ...]:
    """A short window is shorter than its long one; `short_s` and `long_s` are those of a pair that says nothing."""
    return (
        Rule(
            cel="(!has(self.shortSeconds) && !has(self.longSeconds)) || "
            f"(has(self.shortSeconds) ? self.shortSeconds : {short_s:.1f}) < "
            f"(has(self.longSeconds) ? self.longSeconds : {long_s:.1f})",
            message=f"shortSeconds (else {short_s:g}) is not less than longSeconds (else {long_s:g}); give less",
            holds=lambda pair: (pair.short_seconds or short_s) < (pair.long_seconds or long_s),
        ),
    )


class FastWindows(ResourceModel):
    """When a budget burns so fast that it would be gone within days."""

    long_seconds: float | None = setting(LONG, default=3600, ge=60, le=THREE_DAYS)
    short_seconds: float | None = setting(SHORT, default=300, ge=60, le=86_400)
    burn: float | None = setting(BURN, default=14.4, ge=1, le=1000)

    RULES: ClassVar[tuple[Rule, ...]] = _shorter(300, 3600)


class SlowWindows(ResourceModel):
    """When a budget burns more slowly, for longer."""

    long_seconds: float | None = setting(LONG, default=21_600, ge=60, le=THREE_DAYS)
    short_seconds: float | None = setting(SHORT, default=1800, ge=60, le=86_400)
    burn: float | None = setting(BURN, default=6, ge=1, le=1000)

    RULES: ClassVar[tuple[Rule, ...]] = _shorter(1800, 21_600)


class Slo(ResourceModel):
    """How good deliveries are to be, by channel, and what is slowed down while they are not (MSG-15)."""

    success: float | None = _objective("ended deliveries that are to be sent", 0.99)
    latency: float | None = _objective(
        "sent messages that are to be sent in time (channels: replyWithinSeconds, sendWithinSeconds)", 0.95
    )
    once: float | None = _objective(
        "sent messages of which one call at most may have reached the person", 0.999
    )
    queue: float | None = _objective("moments at which more than a fifth of maxInFlight is to be free", 0.95)
    admission: float | None = _objective(
        "messages that are to be taken at once, and not later for want of room; told, tightens nothing", 0.95
    )
    dead_letters: float | None = _objective(
        "ended deliveries that are to leave no dead letter; told, tightens nothing", 0.99
    )
    replays: float | None = _objective(
        "ended replays of dead letters that are to be sent; told, tightens nothing", 0.9
    )
    tightens: bool | None = setting(
        "Whether a burning budget slows down what answers nothing; it is measured and told all the same.",
        default=True,
    )
    minimum_events: int | None = setting(
        "Events of a long window below which nothing is concluded.", default=20, ge=10, le=100_000
    )
    minimum_failures: int | None = setting(
        "Bad events of a long window below which nothing is concluded.", default=10, ge=4, le=100_000
    )
    release_after_seconds: float | None = setting(
        "Seconds without a burning budget after which a channel is let go.", default=900, ge=60, le=86_400
    )
    send_share: float | None = setting(
        "Part of a channel's perMinute that messages which answer nothing get while it is tight.",
        default=0.5,
        ge=0.1,
        le=1,
    )
    retry_factor: float | None = setting(
        "How many times longer they then wait for the second attempt, never more than maxDelaySeconds.",
        default=4,
        ge=1,
        le=100,
    )
    period_days: int | None = setting(
        "Days over which it is told how much of a budget is left.", default=30, ge=1, le=31
    )
    fast: FastWindows | None = Field(
        default=None, description="When a budget burns so fast that it would be gone within days."
    )
    slow: SlowWindows | None = Field(default=None, description="When a budget burns more slowly, for longer.")
