"""The states of a circuit breaker, as every part names them in logs, metrics and answers (SWB-13.3, MSR-06)."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BreakerState"]


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"
