"""The hour of today meant by somebody who reports it once it is over: "took it at 8" (pure)."""

from __future__ import annotations

from datetime import time

from butler_specialist.understanding.times import all_times

__all__ = ["hour_gone_by"]


def hour_gone_by(text: str, now: time) -> time | None:
    """Return its am or pm hour that is over by `now`; None if both or neither are, or if it is clear."""
    [said, *more] = all_times(text) or (None,)
    if said is None or more or said.at is not None or said.twelve is None:
        return None
    halves = (said.twelve.replace(hour=said.twelve.hour % 12 + late) for late in (0, 12))
    gone = [one for one in halves if one <= now]
    return gone[0] if len(gone) == 1 else None
