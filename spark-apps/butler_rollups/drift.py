"""PURE: whether routing has become worse, by slices, without false alarms in small households (SWB-37.1, ADR 0089).

Seven days are compared with the 28 before them: whole weeks, so that no weekday counts more. Fisher's exact test of
two proportions, adjusted by Holm over everything tested: the chance that an evaluation finds anything when nothing
has changed is at most `ALPHA`, however few messages there are. A finding must also be large enough to matter,
frequent enough, and from more than one day: one outage is no drift.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from butler_rollups.quality import Counts, Dimension, Measure, QualityDay, Slice, sums_of

__all__ = [
    "ALPHA",
    "BEFORE",
    "LEAST_CHANGE",
    "LEAST_EVENTS",
    "MOST_ROWS",
    "RECENT",
    "Drift",
    "Report",
    "Share",
    "at_least",
    "drifts_of",
    "first_day",
    "holm",
]

RECENT: Final = timedelta(days=7)
BEFORE: Final = timedelta(days=28)
ALPHA: Final = 0.001
"""Households are evaluated daily for years: at 0.01 a third of the unchanged would get an alarm in a year."""
LEAST_DECISIONS: Final = 30
"""The least in either span; from fewer nothing is concluded."""
LEAST_EVENTS: Final = 5
LEAST_DAYS: Final = 2
MOST_ROWS: Final = 50_000
"""The most rows read for an evaluation: five weeks of 1,400 a day. From more nothing is concluded."""
LEAST_CHANGE: Final = 0.03
"""Three of a hundred decisions: a smaller change may be certain, but is not worth waking anybody."""
_NEGLIGIBLE: Final = 1e-18


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of` decisions."""

    count: int
    of: int

    @property
    def rate(self) -> float:
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Drift:
    """A measure of a slice that has changed; `p` is adjusted for everything tested."""

    where: Slice
    measure: Measure
    recent: Share
    before: Share
    p: float


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an evaluation of the days up to `until` (excluded); `tested` counts its tests."""

    until: date
    tested: int
    drifts: tuple[Drift, ...]


@dataclass(frozen=True, slots=True)
class _Tested:
    drift: Drift
    matters: bool


def first_day(until: date) -> date:
    """Return the first day that an evaluation needs."""
    return until - RECENT - BEFORE


def drifts_of(rows: Iterable[QualityDay], until: date) -> Report:
    """Compare the whole days before `until`; rows of other days are left out."""
    known = list(rows)
    if len(known) >= MOST_ROWS:
        return Report(until, 0, ())
    turn, first = until - RECENT, first_day(until)
    recent = sums_of(row for row in known if turn <= row.day < until)
    before = sums_of(row for row in known if first <= row.day < turn)
    tested = [
        _test(one, measure, recent[one], before[one])
        for one in _comparable(recent, before)
        for measure in Measure
    ]
    adjusted = holm([one.drift.p for one in tested])
    found = (
        Drift(one.drift.where, one.drift.measure, one.drift.recent, one.drift.before, p)
        for one, p in zip(tested, adjusted, strict=True)
        if one.matters and p <= ALPHA
    )
    return Report(until, len(tested), tuple(sorted(found, key=_most_certain_first)))


def holm(chances: Sequence[float]) -> list[float]:
    """Return each p-value adjusted for all, in the order given (Holm 1979): never lower, at most 1."""
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    adjusted, highest = [0.0] * len(chances), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[at]))
        adjusted[at] = highest
    return adjusted


def at_least(share: Share, other: Share) -> float:
    """Return the chance that `share` has this many or more of both's events if both are alike (Fisher)."""
    events, everything = share.count + other.count, share.of + other.of
    others = everything - events - share.of
    most = min(events, share.of)
    term = math.exp(
        _choices(events, share.count)
        + _choices(everything - events, share.of - share.count)
        - _choices(everything, share.of)
    )
    total = 0.0
    for count in range(share.count, most + 1):
        total += term
        if count > share.count and term < total * _NEGLIGIBLE:
            break
        term *= (events - count) * (share.of - count) / ((count + 1) * (others + count + 1))
    return min(1.0, total)


def _choices(of: int, chosen: int) -> float:
    """Return the logarithm of the number of ways to choose."""
    return math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)


def _comparable(recent: Mapping[Slice, Counts], before: Mapping[Slice, Counts]) -> list[Slice]:
    """Return slices with enough decisions in both spans; a dimension with one name repeats the household."""
    names: dict[Dimension, set[str]] = {}
    for one in (*recent, *before):
        names.setdefault(one.dimension, set()).add(one.name)
    return [
        one
        for one in sorted(recent.keys() & before.keys(), key=lambda one: (one.dimension, one.name))
        if (one.dimension is Dimension.HOUSEHOLD or len(names[one.dimension]) > 1)
        and min(recent[one].decisions, before[one].decisions) >= LEAST_DECISIONS
    ]


def _test(where: Slice, measure: Measure, recent: Counts, before: Counts) -> _Tested:
    now, then = Share(recent.of(measure), recent.decisions), Share(before.of(measure), before.decisions)
    if measure is not Measure.DIVIDED:
        p, fell = at_least(now, then), False
    else:
        # More parts than before and fewer parts are both a change.
        more, fewer = at_least(now, then), at_least(_rest(now), _rest(then))
        p, fell = min(1.0, 2 * min(more, fewer)), fewer < more
    days = recent.days_without(measure) if fell else recent.days_with(measure)
    # With fewer parts, the events are the missing ones: as many as there would have been.
    events = then.rate * now.of if fell else now.count
    matters = events >= LEAST_EVENTS and days >= LEAST_DAYS and abs(now.rate - then.rate) >= LEAST_CHANGE
    return _Tested(Drift(where, measure, now, then, p), matters)


def _rest(share: Share) -> Share:
    return Share(share.of - share.count, share.of)


def _most_certain_first(one: Drift) -> tuple[float, str, str, str]:
    return one.p, one.where.dimension, one.where.name, one.measure
