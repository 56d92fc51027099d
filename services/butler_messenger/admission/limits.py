"""PURE: the bounds that an admission must pass: deliveries in flight, and a provider's pause (MSR-05.1, D43)."""

from __future__ import annotations

from typing import Final

from butler_contracts.errors import OverloadRejected, TargetUnavailable

__all__ = ["check_bounds"]

_RETRY_AFTER_S: Final = 5.0


def check_bounds(*, in_flight: int, max_in_flight: int, throttled_for_s: float | None, channel: str) -> None:
    """Refuse, with the hint when to come back: `target_unavailable` during a pause, `overload_rejected` when full."""
    if throttled_for_s is not None:
        raise TargetUnavailable(
            f"{channel} asks for a pause of another {throttled_for_s:.0f} s",
            retry_after_s=max(throttled_for_s, 1.0),
        )
    if in_flight >= max_in_flight:
        raise OverloadRejected(
            f"{in_flight} deliveries are under way, at most {max_in_flight} may be",
            retry_after_s=_RETRY_AFTER_S,
        )
