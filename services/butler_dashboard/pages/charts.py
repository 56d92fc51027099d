"""Geometry of the charts (pure): stacked bars of volume, small bars, shares of a heat map.

Bars are laid out on a plane of `WIDTH` × `HEIGHT` that the page stretches; labels stay in HTML and are not stretched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

__all__ = ["COLOURS", "HEIGHT", "WIDTH", "Bar", "Series", "Volume", "heat_level", "small_bars", "volume"]

WIDTH: Final = 1000
HEIGHT: Final = 240
COLOURS: Final = 8
HEAT_LEVELS: Final = 7
_LABELS: Final = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle of series `colour` (1…8)."""

    x: float
    y: float
    width: float
    height: float
    colour: int


@dataclass(frozen=True, slots=True)
class Series:
    """One connector's volume, one value per bucket."""

    name: str
    values: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.values)


@dataclass(frozen=True, slots=True)
class Volume:
    """A chart of several connectors: bars, and the labels of both axes."""

    starts: tuple[datetime, ...]
    step: timedelta
    series: tuple[Series, ...]
    bars: tuple[Bar, ...]
    ceiling: int
    marks: tuple[datetime, ...]

    @property
    def total(self) -> int:
        return sum(one.total for one in self.series)

    @property
    def daily(self) -> bool:
        return self.step >= timedelta(days=1)

    @property
    def figures(self) -> dict[str, Any]:
        """The data that a script needs to draw the same chart."""
        return {
            "times": [int(start.timestamp()) for start in self.starts],
            "step": int(self.step.total_seconds()),
            "daily": self.daily,
            "days": round(self.step * len(self.starts) / timedelta(days=1)),
            "series": [{"name": one.name, "values": list(one.values)} for one in self.series],
        }


def volume(starts: Sequence[datetime], step: timedelta, series: Sequence[Series]) -> Volume:
    """Stack the series; beyond eight, merge the smallest into one."""
    kept = _at_most(series, COLOURS)
    columns = [sum(one.values[at] for one in kept) for at in range(len(starts))]
    ceiling = nice_ceiling(max(columns, default=0))
    every = max(1, math.ceil(len(starts) / _LABELS))
    return Volume(
        tuple(starts),
        step,
        kept,
        tuple(_stacked(kept, len(starts), ceiling)),
        ceiling,
        tuple(starts[::every]),
    )


def nice_ceiling(highest: int) -> int:
    """Return the least of 4, 6, 8, 10, 20, 30, 40, 60, 80, 100, … not below `highest`; its half is whole."""
    scale = 1
    while True:
        for step in (4, 6, 8, 10, 20, 30):
            if step * scale >= highest:
                return step * scale
        scale *= 10


def small_bars(values: Sequence[int], *, width: int = 240, height: int = 36) -> tuple[Bar, ...]:
    """Return bars side by side; an empty bucket is a line of one unit, colour 0."""
    if not values:
        return ()
    highest, each = max(1, *values), width / len(values)
    return tuple(
        Bar(
            round(at * each, 2),
            round(height - (tall := max(2.0, value / highest * height) if value else 1.0), 2),
            round(each * 0.72, 2),
            round(tall, 2),
            1 if value else 0,
        )
        for at, value in enumerate(values)
    )


def heat_level(value: int, highest: int) -> int:
    """Return 0 for nothing, else 1…7 on a square-root scale, so that small shares can be told apart."""
    if value <= 0 or highest <= 0:
        return 0
    return max(1, min(HEAT_LEVELS, math.ceil(math.sqrt(value / highest) * HEAT_LEVELS)))


def _at_most(series: Sequence[Series], limit: int) -> tuple[Series, ...]:
    if len(series) <= limit:
        return tuple(series)
    ranked = sorted(series, key=lambda one: -one.total)
    rest = ranked[limit - 1 :]
    merged = tuple(map(sum, zip(*(one.values for one in rest), strict=True)))
    return (*ranked[: limit - 1], Series(f"{len(rest)} others", merged))


def _stacked(series: Sequence[Series], buckets: int, ceiling: int) -> list[Bar]:
    bars: list[Bar] = []
    each = WIDTH / max(1, buckets)
    for at in range(buckets):
        below = 0.0
        for colour, one in enumerate(series, start=1):
            tall = one.values[at] / ceiling * HEIGHT
            if tall > 0:
                x, y = round((at + 0.11) * each, 2), round(HEIGHT - below - tall, 2)
                bars.append(Bar(x, y, round(each * 0.78, 2), round(tall, 2), colour))
                below += tall
    return bars
