"""PURE: counts the events of this process until the next look stores them. A killed process loses seconds of counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from butler_contracts.errors import ErrorClass
from butler_kit.service_levels import Count
from butler_switchboard.service_levels.objectives import WITHIN_S, Objective

__all__ = ["Tally"]

_OWN_FAULT: Final = ErrorClass.VALIDATION_ERROR.value


class Tally:
    """Counts by objective; `within_s` says how soon is soon enough."""

    def __init__(self, within_s: Mapping[str, float] = WITHIN_S) -> None:
        self._within_s = within_s
        self._counts: defaultdict[str, Count] = defaultdict(Count)

    def accepted(self, seconds: float) -> None:
        """Count an answered submission."""
        self._timed(Objective.ACCEPT, seconds)

    def concluded(self, seconds: float, *, interactive: bool) -> None:
        """Count the end of a request."""
        self._timed(Objective.COMPLETE, seconds)
        if interactive:
            self._timed(Objective.INTERACTIVE, seconds)

    def routed(self, outcome: str) -> None:
        """Count the end of a part, `ok` or its error class."""
        if outcome != _OWN_FAULT:
            self._add(Objective.SUCCESS, bad=outcome != "ok")

    def taken(self) -> dict[str, Count]:
        """Return the counts since the last call, and start anew."""
        taken, self._counts = dict(self._counts), defaultdict(Count)
        return taken

    def put_back(self, taken: Mapping[str, Count]) -> None:
        """Count again what could not be written."""
        for objective, count in taken.items():
            now = self._counts[objective]
            self._counts[objective] = Count(now.events + count.events, now.bad + count.bad)

    def _timed(self, objective: Objective, seconds: float) -> None:
        self._add(objective, bad=seconds > self._within_s[objective])

    def _add(self, objective: Objective, *, bad: bool) -> None:
        self.put_back({objective.value: Count(1, int(bad))})
