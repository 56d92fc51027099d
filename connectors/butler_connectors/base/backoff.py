"""The backoff before the next try: growing, capped, spread, never shorter than requested (CNX-08.1). Pure."""

from __future__ import annotations

from typing import Final

__all__ = ["FIRST_S", "LAST_S", "backoff_s"]

FIRST_S: Final = 0.5
LAST_S: Final = 30.0
_ASKED_MAX_S: Final = 3600.0
_SPREAD: Final = 0.1


def backoff_s(
    failures: int, draw: float, *, retry_after_s: float | None = None, last_s: float = LAST_S
) -> float:
    """Return the seconds before the next try after `failures` failures in a row (≥ 1); `draw` is random in [0, 1).

    The other side's `retry_after_s` is a minimum (at most an hour is believed), plus up to 10 % so that many
    callers do not come back at once.
    """
    ceiling = min(last_s, FIRST_S * 2.0 ** min(max(failures, 1) - 1, 16))
    own = ceiling * (0.5 + draw / 2)
    if retry_after_s is None:
        return own
    asked = min(max(retry_after_s, 0.0), _ASKED_MAX_S)
    return max(own, asked * (1 + _SPREAD * draw))
