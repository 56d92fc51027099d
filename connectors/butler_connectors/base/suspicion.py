"""What to do about a message on which Switchboard itself fails, again and again. Pure.

Invariant: a failure of Switchboard never ends a message. One that fails while others pass is parked with its body;
while nothing passes, everything is held at the source, for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = ["PARK_TRIES", "Evidence", "Suspicion", "Verdict"]

PARK_TRIES: Final = 10
"""Failed answers after which a message may be parked: some minutes."""


class Verdict(Enum):
    """What comes next for the message."""

    AGAIN = "again"
    COMPARE = "compare"
    """Whether others pass is not known: one that waits behind it is tried."""
    PARK = "park"


@dataclass
class Evidence:
    """How many new messages Switchboard has taken; a repeat proves nothing, for nothing is written for it."""

    accepted: int = 0

    def note(self, *, duplicate: bool) -> None:
        self.accepted += not duplicate


class Suspicion:
    """One message's failures, against what passed since the last of them; `last` is the last verdict."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._accepted = evidence.accepted
        self.tries = 0
        self.last = Verdict.AGAIN

    def failed(self) -> Verdict:
        """Note one more failure."""
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
        # Seldom: what passes here, because Switchboard was mended this very moment, passes before its turn.
        return Verdict.AGAIN if self.tries % PARK_TRIES else Verdict.COMPARE
