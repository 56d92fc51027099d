"""PURE: the limits of an admission: per-minute budgets, places, a provider's pause or open circuit (MSG-8, MSG-9,
MSR-05, MSR-06, D42, D43).

Invariants: sends never exceed a budget. Sends do not hold up replies: they count at most four fifths of each budget,
and of the places, against a reply, which is why replies may go a fifth beyond. One butler's sends do not hold up
another's: one butler takes at most four fifths (docs/adr/0067). An unavailable provider never takes the last places
from the other channels. While a channel is tight its sends have one more budget, its replies do not (docs/adr/0073).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from butler_contracts.errors import ButlerError, OverloadRejected, TargetUnavailable

__all__ = [
    "CHANNEL_PER_MINUTE",
    "TIGHT",
    "WINDOW_S",
    "AdmissionLimits",
    "CircuitOpenError",
    "Demand",
    "RateLimited",
    "RateLimits",
    "Standing",
    "account_of",
    "channel_share",
    "cost_of",
    "demands",
    "measure",
    "refusal",
    "source_of",
]

WINDOW_S: Final = 60.0
"""The window over which budgets are counted."""
CHANNEL_PER_MINUTE: Final[Mapping[str, int]] = {"telegram": 30, "email": 20}
"""MSR-05.2."""
OTHER_PER_MINUTE: Final = 20
"""For a channel without a budget of its own."""
TIGHT: Final = "tight"
"""A channel's budget for sends, applied only while the channel misses its service level (docs/adr/0073)."""
_FULL_RETRY_AFTER_S: Final = 5.0
_AWAY_RETRY_AFTER_S: Final = 30.0
_SHORTEST_RETRY_AFTER_S: Final = 1.0
_BUDGETS: Final = {
    "global": "in all",
    "channel": "on this channel",
    "recipient": "to this recipient",
    "thread": "in this conversation",
    "origin": "of one butler alone",
    TIGHT: "on this channel while too much of it fails or is late",
}


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The budgets per minute; a send counts one, a reply `1 / reply_priority`, a reaction nothing."""

    per_minute: int = 60
    channels: Mapping[str, int] = field(default_factory=lambda: dict(CHANNEL_PER_MINUTE))
    recipient_per_minute: int = 10
    reply_priority: float = 2.0
    tight_share: float = 0.5
    """The share of a channel's budget that sends get while it is tight."""


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """All limits of an admission: `max_in_flight` places over all replicas, and the budgets."""

    max_in_flight: int = 100
    rates: RateLimits = RateLimits()


@dataclass(frozen=True, slots=True)
class Demand:
    """One budget that a delivery needs: `most` per minute, of which sends count at most `sends_at_most`."""

    key: str
    most: float
    sends_at_most: float = math.inf


@dataclass(frozen=True, slots=True)
class Standing:
    """The state in which an admission was decided, and the budgets that were short.

    `ahead` counts the places taken before it, `own` those of its butler's sends, `held` those of its channel while
    the channel waits for its provider. Times are seconds from now.
    """

    ahead: int
    own: int
    held: int
    throttled_for_s: float | None = None
    recipient_throttled_for_s: float | None = None
    circuit_open_for_s: float | None = None
    circuit_tripped_by: str | None = None
    lacking: tuple[str, ...] = ()
    room_in_s: float | None = None


class RateLimited(OverloadRejected):
    """A per-minute budget is used up; `dimension` is the first word of its name."""

    def __init__(self, dimension: str, *, retry_after_s: float) -> None:
        super().__init__(
            f"too many messages within a minute {_BUDGETS[dimension]}", retry_after_s=retry_after_s
        )
        self.dimension = dimension


class CircuitOpenError(TargetUnavailable):
    """The provider does not answer and is not called before `retry_after_s` (MSR-06.1)."""

    def __init__(self, channel: str, *, tripped_by: str, retry_after_s: float) -> None:
        super().__init__(
            f"the circuit of {channel} is open for another {retry_after_s:.0f} s ({tripped_by})",
            retry_after_s=max(retry_after_s, _SHORTEST_RETRY_AFTER_S),
        )


def channel_share(places: int) -> int:
    """Return four fifths of `places`: the most for an unavailable channel, or for one butler's sends."""
    return places - places // 5


def _share(most: float) -> float:
    return max(1.0, most * 4 / 5)


def source_of(origin_butler: str, channel: str) -> str:
    """Return the source, an origin on a channel; sources take turns when deliveries wait (MSG-8)."""
    return f"{origin_butler}/{channel}"


def cost_of(intent: str, rates: RateLimits) -> float:
    """Return how much of a budget one message uses."""
    return 1.0 if intent == "send" else 1.0 / rates.reply_priority


def demands(
    rates: RateLimits,
    *,
    intent: str,
    account: str,
    channel: str,
    origin_butler: str,
    recipient: str,
    thread: str | None,
    urgent: bool = False,
) -> tuple[Demand, ...]:
    """Return the budgets that a delivery uses; `account` is the channel with its identity scope (`telegram.bot`).

    An `urgent` reply needs none of its recipient's or thread's budget (docs/adr/0104).
    """
    if intent == "react":
        return ()
    needed = ["global", f"channel:{account}"]
    if intent != "reply" or not urgent:
        needed += _of_the_reader(account, channel, recipient, thread)
    if intent == "reply":
        return tuple(Demand(key, most, _share(most)) for key in needed for most in (measure(key, rates),))
    needed += [f"origin:{origin_butler}", f"origin:{origin_butler}:{account}", f"{TIGHT}:{account}"]
    return tuple(Demand(key, measure(key, rates)) for key in needed)


def _of_the_reader(account: str, channel: str, recipient: str, thread: str | None) -> list[str]:
    own = [f"recipient:{account}:{recipient}"]
    if thread is not None and thread != f"{channel}:{recipient}":
        own.append(f"thread:{account}:{thread}")
    return own


def measure(key: str, rates: RateLimits) -> float:
    """Return the size of a budget per minute, by its name."""
    dimension, _, whose = key.partition(":")
    match dimension:
        case "global":
            return float(rates.per_minute)
        case "channel":
            return float(_on_channel(whose, rates))
        case "origin":
            account = account_of(key)
            return _share(_on_channel(account, rates) if account else rates.per_minute)
        case _ if dimension == TIGHT:
            return max(1.0, _on_channel(whose, rates) * rates.tight_share)
        case _:
            return float(rates.recipient_per_minute)


def account_of(key: str) -> str | None:
    """Return the account of a budget (`telegram.bot`), or None for a budget of all channels together."""
    dimension, _, whose = key.partition(":")
    if dimension == "origin":
        return whose.partition(":")[2] or None
    return whose.partition(":")[0] or None


def _on_channel(account: str, rates: RateLimits) -> int:
    return rates.channels.get(account.partition(".")[0], OTHER_PER_MINUTE)


def refusal(standing: Standing, limits: AdmissionLimits, *, intent: str, channel: str) -> ButlerError | None:
    """Return why the delivery cannot be admitted now, with a retry hint; None if it can.

    `target_unavailable` while the provider pauses or is unavailable, `overload_rejected` for our own limits.
    """
    if standing.circuit_open_for_s is not None:
        return CircuitOpenError(
            channel,
            tripped_by=standing.circuit_tripped_by or "",
            retry_after_s=standing.circuit_open_for_s,
        )
    share = channel_share(limits.max_in_flight)
    for pause_s, where in (
        (standing.throttled_for_s, ""),
        (standing.recipient_throttled_for_s, " in this chat"),
    ):
        if pause_s is not None:
            return TargetUnavailable(
                f"{channel} asks for a pause of another {pause_s:.0f} s{where}",
                retry_after_s=max(pause_s, 1.0),
            )
    if standing.held >= share:
        return TargetUnavailable(
            f"{channel} is away and {standing.held} deliveries wait for it already",
            retry_after_s=_AWAY_RETRY_AFTER_S,
        )
    if standing.ahead >= limits.max_in_flight or (intent == "send" and standing.own >= share):
        return OverloadRejected(
            f"too many deliveries are under way, at most {limits.max_in_flight} may be",
            retry_after_s=_FULL_RETRY_AFTER_S,
        )
    if standing.lacking:
        wait_s = standing.room_in_s if standing.room_in_s is not None else WINDOW_S
        return RateLimited(_dimension(standing.lacking), retry_after_s=max(wait_s, _SHORTEST_RETRY_AFTER_S))
    return None


def _dimension(lacking: Sequence[str]) -> str:
    names = {key.partition(":")[0] for key in lacking}
    return next(name for name in _BUDGETS if name in names)
