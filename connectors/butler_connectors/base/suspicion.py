"""Decides about a message on which Switchboard itself keeps failing. Pure.

Invariant: a failure of Switchboard never ends a message. One that fails while others pass is parked with its body;
while nothing passes, everything is held at the source, without end.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = ["PARK_TRIES", "Evidence", "Suspicion", "Verdict"]

PARK_TRIES: Final = 10
"""Failed answers after which a message may be parked: some minutes."""


class Verdict(Enum):
    """What to do next with the message."""

    AGAIN = "again"
    COMPARE = "compare"
    """It is unknown whether others pass: one that waits behind it is tried."""
    PARK = "park"


@dataclass
class Evidence:
    """How many new messages Switchboard has taken; a duplicate writes nothing and so proves nothing."""

    accepted: int = 0

    def note(self, *, duplicate: bool) -> None:
        self.accepted += not duplicate


class Suspicion:
    """One message's failures, compared with what passed since the last one; `last` is the last verdict."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._accepted = evidence.accepted
        self.tries = 0
        self.last = Verdict.AGAIN

    def failed(self) -> Verdict:
        """Count one more failure and return the verdict."""
        self.tries += 1
        others_pass = self._evidence.accepted > self._accepted
        self._accepted = self._evidence.accepted
        self.last = self._verdict(others_pass=others_pass)
        return self.last

    def _verdict(self, *, others_pass: bool) -> Verdict:
        if self.tries < PARK_TRIES:
            return Verdict.AGAIN
        if others_pass:
            return Verdict.PARK
        # Rarely: a message that passes here, because Switchboard was just fixed, passes before its turn.
        return Verdict.AGAIN if self.tries % PARK_TRIES else Verdict.COMPARE
