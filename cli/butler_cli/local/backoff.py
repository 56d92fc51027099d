"""When an ended process is restarted, and when its endings count as a crash loop. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["RestartPolicy"]


@dataclass(frozen=True)
class RestartPolicy:
    """Doubling pauses with full jitter on the second half; a run of `steady_s` resets earlier endings."""

    first_s: float = 0.1
    """Short: a killed process is wanted back at once, and a start costs little."""
    cap_s: float = 30.0
    steady_s: float = 60.0
    loop_endings: int = 3
    loop_window_s: float = 120.0

    def delay_s(self, *, endings_in_a_row: int, chance: float) -> float:
        """Pause before the next start; `chance` is a random number in [0, 1)."""
        whole = min(self.cap_s, self.first_s * 2.0 ** min(endings_in_a_row - 1, 16))
        return whole * (0.5 + chance / 2)

    def in_a_row(self, *, before: int, ran_s: float) -> int:
        """Return the number of endings in a row, after one that followed a run of `ran_s`."""
        return 1 if ran_s >= self.steady_s else before + 1

    def is_crash_loop(self, endings: Sequence[float], *, now: float) -> bool:
        """Whether the endings (monotonic seconds) of the last window are too many (D30)."""
        return sum(now - at <= self.loop_window_s for at in endings) >= self.loop_endings
