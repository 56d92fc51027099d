"""The blocks `slo` of the Switchboard and `delivery.slo` of the Messenger: how good they are to be, and the rest."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["FastWindows", "Slo", "SlowWindows", "SwitchboardSlo"]

THREE_DAYS = 259_200
LONG = "Length in seconds of the long window, which shows that a budget is burning."
SHORT = "Length in seconds of the short window, which shows that it still is; less than longSeconds."
BURN = "Burn rate over both windows at which a budget is burning."


def _objective(events: str, default: float) -> float | None:
    """A share of good events."""
    field: float | None = setting(
        f"Target share of {events}. The rest is the error budget.", default=default, ge=0.5, le=0.9999
    )
    return field


def _shorter(short_s: float, long_s: float) -> tuple[Rule, ...]:
    """A short window is shorter than its long one; `short_s` and `long_s` are those of a pair that says nothing."""
    return (
        Rule(
            cel="(!has(self.shortSeconds) && !has(self.longSeconds)) || "
            f"(has(self.shortSeconds) ? self.shortSeconds : {short_s:.1f}) < "
            f"(has(self.longSeconds) ? self.longSeconds : {long_s:.1f})",
            message=f"shortSeconds (default {short_s:g}) is not less than longSeconds (default {long_s:g}); give a "
            "lower value",
            holds=lambda pair: (pair.short_seconds or short_s) < (pair.long_seconds or long_s),
        ),
    )


class FastWindows(ResourceModel):
    """Windows for a budget that burns fast enough to be gone within days."""

    long_seconds: float | None = setting(LONG, default=3600, ge=60, le=THREE_DAYS)
    short_seconds: float | None = setting(SHORT, default=300, ge=60, le=86_400)
    burn: float | None = setting(BURN, default=14.4, ge=1, le=1000)

    RULES: ClassVar[tuple[Rule, ...]] = _shorter(300, 3600)


class SlowWindows(ResourceModel):
    """Windows for a budget that burns more slowly, for longer."""

    long_seconds: float | None = setting(LONG, default=21_600, ge=60, le=THREE_DAYS)
    short_seconds: float | None = setting(SHORT, default=1800, ge=60, le=86_400)
    burn: float | None = setting(BURN, default=6, ge=1, le=1000)

    RULES: ClassVar[tuple[Rule, ...]] = _shorter(1800, 21_600)


class BurningBudgets(ResourceModel):
    """When an error budget burns: the same for every service."""

    minimum_events: int | None = setting(
        "Minimum number of events in a long window to judge a budget.", default=20, ge=10, le=100_000
    )
    minimum_failures: int | None = setting(
        "Minimum number of bad events in a long window to judge a budget.", default=10, ge=4, le=100_000
    )
    period_days: int | None = setting(
        "Days over which the remaining error budget is reported.", default=30, ge=1, le=31
    )
    fast: FastWindows | None = Field(
        default=None, description="Windows for a budget that burns fast enough to be gone within days."
    )
    slow: SlowWindows | None = Field(
        default=None, description="Windows for a budget that burns more slowly, for longer."
    )


class Slo(BurningBudgets):
    """Service level objectives of deliveries by channel, and what is slowed down while they are missed (MSG-15)."""

    success: float | None = _objective("finished deliveries that are sent", 0.99)
    latency: float | None = _objective(
        "sent messages that are sent in time (channels: replyWithinSeconds, sendWithinSeconds)", 0.95
    )
    once: float | None = _objective(
        "sent messages for which at most one call may have reached the person", 0.999
    )
    queue: float | None = _objective("samples at which more than a fifth of maxInFlight is free", 0.95)
    admission: float | None = _objective(
        "messages accepted at once, not later for lack of capacity (reported only, slows nothing down)", 0.95
    )
    dead_letters: float | None = _objective(
        "finished deliveries that leave no dead letter (reported only, slows nothing down)", 0.99
    )
    replays: float | None = _objective(
        "finished replays of dead letters that are sent (reported only, slows nothing down)", 0.9
    )
    tightens: bool | None = setting(
        "Whether a burning budget slows down messages that are not replies. It is measured and reported either way.",
        default=True,
    )
    release_after_seconds: float | None = setting(
        "Seconds without a burning budget after which a channel is no longer slowed down.",
        default=900,
        ge=60,
        le=86_400,
    )
    send_share: float | None = setting(
        "Share of a channel's perMinute for messages that are not replies, while the channel is slowed down.",
        default=0.5,
        ge=0.1,
        le=1,
    )
    retry_factor: float | None = setting(
        "Factor that then lengthens the delay of these messages before the second attempt, up to maxDelaySeconds.",
        default=4,
        ge=1,
        le=100,
    )


class SwitchboardSlo(BurningBudgets):
    """Service level objectives of the message plane, and what is held back while they are missed (SWB-41)."""

    accept: float | None = _objective(
        "submissions answered within acceptWithinSeconds, without those of backfills", 0.99
    )
    complete: float | None = _objective("requests that end within completeWithinSeconds", 0.95)
    success: float | None = _objective("finished parts of requests that end well", 0.99)
    interactive: float | None = _objective(
        "requests of people who wait for the answer that end within interactiveWithinSeconds", 0.95
    )
    accept_within_seconds: float | None = setting(
        "Target time in seconds for answering a submission.", default=0.25, ge=0.001, le=60
    )
    complete_within_seconds: float | None = setting(
        "Target time in seconds from receipt to the end of a request.", default=300, ge=1, le=86_400
    )
    interactive_within_seconds: float | None = setting(
        "The same for a request of somebody who waits for the answer.", default=60, ge=1, le=86_400
    )
    tightens: bool | None = setting(
        "Whether a burning budget limits tier default and pauses backfills. It is measured and reported either way.",
        default=True,
    )
    release_after_seconds: float | None = setting(
        "Seconds without a burning budget after which nothing is held back any more.",
        default=900,
        ge=60,
        le=86_400,
    )
    default_share: float | None = setting(
        "Share of the backlog of tier default (buffer.tiers.default.maxBacklog) that is admitted meanwhile.",
        default=0.5,
        ge=0.1,
        le=1,
    )
