"""One step in the life of a request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

__all__ = ["Step"]


@dataclass(frozen=True)
class Step:
    """At `at`, `who` (a butler or a stage) did `said`; `tone` is good, bad, warn, dim or plain."""

    at: datetime
    who: str
    said: str
    tone: str = "plain"
    notes: tuple[str, ...] = ()
