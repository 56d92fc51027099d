"""PURE: the stored figures of a day of routing, and their sums by source, target, model and prompt (SWB-37.1).

A row with the target `ALL` counts each decision once, whatever butlers it names; the rows of butlers count it once
for each butler that it names. So `ALL` is used for every dimension except the target.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

__all__ = ["ALL", "Counts", "Dimension", "Measure", "QualityDay", "Slice", "sums_of"]

ALL: Final = "*"
"""No butler has this name."""


class Measure(StrEnum):
    """What a decision may be, by the name of its column; each is counted once per decision."""

    CORRECTED = "corrected"
    DIVIDED = "divided"
    FALLBACKS = "fallbacks"
    INVALID = "invalid_verdicts"
    PARTIAL = "partial_failures"
    TOTAL = "total_failures"


class Dimension(StrEnum):
    """The dimensions by which decisions are grouped."""

    HOUSEHOLD = "household"
    SOURCE = "source"
    TARGET = "target"
    MODEL = "model"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class QualityDay:
    """A row of `routing_quality_daily`: the number of decisions on a UTC day, and how many fall under each measure.

    `segments` are the parts into which their messages were divided, `divided` those with more than one.
    """

    day: date
    source_channel: str
    target_butler: str
    model_version: str
    prompt_version: str
    decisions: int
    segments: int
    divided: int
    corrected: int
    fallbacks: int
    invalid_verdicts: int
    partial_failures: int
    total_failures: int

    def counted(self, measure: Measure) -> int:
        number: int = getattr(self, measure.value)
        return number


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of all decisions: those of one source, to one butler, by one model or prompt version."""

    dimension: Dimension
    name: str


class Counts:
    """Sums over days. `days_with` and `days_without` count days with a decision in or outside a measure."""

    def __init__(self) -> None:
        self.decisions = 0
        self.segments = 0
        self._of: dict[Measure, int] = dict.fromkeys(Measure, 0)
        self._with: dict[Measure, set[date]] = {measure: set() for measure in Measure}
        self._without: dict[Measure, set[date]] = {measure: set() for measure in Measure}

    def add(self, row: QualityDay) -> None:
        self.decisions += row.decisions
        self.segments += row.segments
        for measure in Measure:
            number = row.counted(measure)
            self._of[measure] += number
            if number:
                self._with[measure].add(row.day)
            if number < row.decisions:
                self._without[measure].add(row.day)

    def of(self, measure: Measure) -> int:
        return self._of[measure]

    def share(self, measure: Measure) -> float:
        """Return the share of decisions, 0 to 1; 0 if there are none."""
        return self._of[measure] / self.decisions if self.decisions else 0.0

    def days_with(self, measure: Measure) -> int:
        return len(self._with[measure])

    def days_without(self, measure: Measure) -> int:
        return len(self._without[measure])


def sums_of(rows: Iterable[QualityDay]) -> dict[Slice, Counts]:
    """Return the sums of every slice that has rows."""
    sums: dict[Slice, Counts] = defaultdict(Counts)
    for row in rows:
        for one in _slices_of(row):
            sums[one].add(row)
    return dict(sums)


def _slices_of(row: QualityDay) -> tuple[Slice, ...]:
    if row.target_butler != ALL:
        return (Slice(Dimension.TARGET, row.target_butler),)
    return (
        Slice(Dimension.HOUSEHOLD, ALL),
        Slice(Dimension.SOURCE, row.source_channel),
        Slice(Dimension.MODEL, row.model_version),
        Slice(Dimension.PROMPT, row.prompt_version),
    )
