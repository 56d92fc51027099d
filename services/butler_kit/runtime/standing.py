"""Whether a butler's configured runtime is available, as last observed: a state, never an end (D28).

Written by the latest attempt (a session or a regular check), read by conditions and pages.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler_contracts.errors import ButlerError
from butler_kit.time import Clock

__all__ = ["RuntimeStanding", "Unavailable"]

MESSAGE_MAX = 500


@dataclass(frozen=True)
class Unavailable:
    """Why the runtime is unavailable, by kind and in words, and since when."""

    kind: str
    message: str
    since: datetime


class RuntimeStanding:
    """`family` is the configured one, `fallback` what stands in for it while there is a `fault`."""

    def __init__(self, family: str, fallback: str | None, clock: Clock) -> None:
        self.family = family
        self.fallback = fallback
        self.fault: Unavailable | None = None
        self.note: str | None = None
        """What a look found that may keep a model from answering, though nothing is known to be amiss."""
        self.answered: set[str] = set()
        """The models that answered a session of this process."""
        self.changed = asyncio.Event()
        """Set on every change of `fault` or `note`; the code that stores it clears it."""
        self._clock = clock
        self._alone_until = 0.0
        self._failed_at = 0.0

    @property
    def quiet_s(self) -> float:
        """Seconds since it was last found unavailable."""
        return self._clock.monotonic() - self._failed_at

    def had(self) -> None:
        """Record that it answered."""
        self._say(None)

    def noted(self, note: str | None) -> None:
        """Record a note, or that there is none."""
        if note != self.note:
            self.note = note[:MESSAGE_MAX] if note is not None else None
            self.changed.set()

    def failed(self, why: ButlerError, *, alone_s: float = 0.0) -> None:
        """Record that it was unavailable; it is left alone for `alone_s` seconds."""
        kind = str(why.details.get("original_class") or why.error_class.value)
        same = self.fault is not None and self.fault.kind == kind
        since = self.fault.since if self.fault is not None and same else self._clock.now()
        self._say(Unavailable(kind, why.message[:MESSAGE_MAX], since))
        self._failed_at = self._clock.monotonic()
        self._alone_until = self._failed_at + alone_s

    def to_leave_alone(self) -> Unavailable | None:
        """Return the fault because of which it is not even asked now."""
        return self.fault if self._clock.monotonic() < self._alone_until else None

    def to_wire(self) -> dict[str, Any]:
        """Return the form for a heartbeat; the receiver adds `since`."""
        fault = self.fault
        said = None if fault is None else {"kind": fault.kind, "message": fault.message}
        return {"family": self.family, "fallback": self.fallback, "fault": said, "note": self.note}

    def _say(self, fault: Unavailable | None) -> None:
        if fault != self.fault:
            self.fault = fault
            self.changed.set()
