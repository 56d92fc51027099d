"""PURE: the bounds that an admission must pass: deliveries in flight, and a provider's pause (MSR-05.1, MSR-05.4, D43).

Invariant: a provider that is away never takes the last places from the other channels (MSG-8).
"""

from __future__ import annotations

from typing import Final

from butler_contracts.errors import OverloadRejected, TargetUnavailable

__all__ = ["channel_share", "check_bounds"]

_RETRY_AFTER_S: Final = 5.0
_AWAY_RETRY_AFTER_S: Final = 30.0


def channel_share(max_in_flight: int) -> int:
    """How many of the places the deliveries of one channel may hold while its provider is away: four fifths."""
    return max_in_flight - max_in_flight // 5


def check_bounds(
    *,
    in_flight: int,
    max_in_flight: int,
    held: int,
    throttled_for_s: float | None,
    channel: str,
    recipient_throttled_for_s: float | None = None,
) -> None:
    """Refuse, with the hint when to come back: `target_unavailable` during a pause, `overload_rejected` when full.

    `held` counts the places of a channel whose deliveries wait for their provider.
    """
    if throttled_for_s is not None:
        raise TargetUnavailable(
            f"{channel} asks for a pause of another {throttled_for_s:.0f} s",
            retry_after_s=max(throttled_for_s, 1.0),
        )
    if recipient_throttled_for_s is not None:
        raise TargetUnavailable(
            f"{channel} asks for a pause of another {recipient_throttled_for_s:.0f} s in this chat",
            retry_after_s=max(recipient_throttled_for_s, 1.0),
        )
    if held >= channel_share(max_in_flight):
        raise TargetUnavailable(
            f"{channel} is away and {held} deliveries wait for it already", retry_after_s=_AWAY_RETRY_AFTER_S
        )
    if in_flight >= max_in_flight:
        raise OverloadRejected(
            f"{in_flight} deliveries are under way, at most {max_in_flight} may be",
            retry_after_s=_RETRY_AFTER_S,
        )
