"""Counts requests, and why some were refused, in this process until the next look stores them.

A refusal writes nothing (docs/adr/0067), so it is counted here. A killed process loses seconds of counts.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from butler_contracts.errors import ButlerError, OverloadRejected
from butler_messenger.admission.limits import TIGHT, RateLimited

__all__ = ["Tally", "Told"]


@dataclass(slots=True)
class Told:
    """One channel's counts: how many requests there were, and why some were refused."""

    asked: int = 0
    limited: int = 0
    crowded: int = 0
    tightened: int = 0


class Tally:
    """Counts by channel."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, Told] = defaultdict(Told)

    def asked(self, channel: str) -> None:
        self._counts[channel].asked += 1

    def refused(self, channel: str, error: ButlerError) -> None:
        """Count a refusal of ours; one caused by a provider or the request itself does not count."""
        told = self._counts[channel]
        if isinstance(error, RateLimited):
            if error.dimension == TIGHT:
                told.tightened += 1
            else:
                told.limited += 1
        elif isinstance(error, OverloadRejected):
            told.crowded += 1

    def taken(self) -> dict[str, Told]:
        """Return the counts since the last call, and start anew."""
        taken, self._counts = dict(self._counts), defaultdict(Told)
        return taken

    def put_back(self, taken: dict[str, Told]) -> None:
        """Count again what could not be written."""
        for channel, told in taken.items():
            now = self._counts[channel]
            now.asked += told.asked
            now.limited += told.limited
            now.crowded += told.crowded
            now.tightened += told.tightened
