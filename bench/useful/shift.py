"""Shifts this process's `SystemClock` by the seconds in the environment, on import.

The shift is read once: a forked process has the module, but another environment.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import Final

from butler_kit.time import SystemClock

__all__ = ["AHEAD", "SHIFT"]

SHIFT: Final = "BENCH_CLOCK_SHIFT_S"
AHEAD: Final = timedelta(seconds=int(os.environ.get(SHIFT, "0")))
"""How far this process is ahead of the machine; negative is behind."""


def _now(self: SystemClock) -> datetime:
    return datetime.now(UTC) + AHEAD


if AHEAD:
    SystemClock.now = _now  # type: ignore[method-assign]
