"""PURE: whether routing has become worse, by slices, without false alarms of small households (SWB-37.1, ADR 0089).

Seven days are compared with the 28 before them: whole weeks, so that no weekday counts more. Fisher's exact test of two
proportions, adjusted by Holm over everything that is tested: the chance that an evaluation finds anything where nothing
has changed is at most `ALPHA`, however few messages there are. What is found must also be large enough to matter, often
enough, and of more than one day: one outage is no drift.
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
"""A household is judged every day for years: at 0.01 a third of those where nothing changes were alarmed in a year."""
LEAST_DECISIONS: Final = 30
"""In either span; with fewer nothing is concluded."""
LEAST_EVENTS: Final = 5
LEAST_DAYS: Final = 2
MOST_ROWS: Final = 50_000
"""What is read for an evaluation: five weeks of 1,400 rows a day. Of more nothing is concluded."""
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
    """A measure of a slice that is no longer what it was; `p` is adjusted for all that was tested."""

    where: Slice
    measure: Measure
    recent: Share
    before: Share
    p: float


@dataclass(frozen=True, slots=True)
class Report:
    """What an evaluation of the days up to `until` (excluded) says; `tested` is how much it looked at."""

    until: date
    tested: int
    drifts: tuple[Drift, ...]


@dataclass(frozen=True, slots=True)
class _Tested:
    drift: Drift
    matters: bool


def first_day(until: date) -> date:
    """The first of all days that an evaluation needs."""
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
    """Each p-value adjusted for all of them, in the order given (Holm 1979): never lower, at most 1."""
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    adjusted, highest = [0.0] * len(chances), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[at]))
        adjusted[at] = highest
    return adjusted


def at_least(share: Share, other: Share) -> float:
    """The chance that `share` has so many or more of the events that both have together, were both alike (Fisher)."""
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
    """The logarithm of how many ways there are."""
    return math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)


def _comparable(recent: Mapping[Slice, Counts], before: Mapping[Slice, Counts]) -> list[Slice]:
    """Slices with enough decisions on either side; a dimension of one name alone says the same as the household."""
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
        # More parts than before and fewer of them are both no longer what it was.
        more, fewer = at_least(now, then), at_least(_rest(now), _rest(then))
        p, fell = min(1.0, 2 * min(more, fewer)), fewer < more
    days = recent.days_without(measure) if fell else recent.days_with(measure)
    # Of fewer parts the events are those that are missing: as many as there would have been.
    events = then.rate * now.of if fell else now.count
    matters = events >= LEAST_EVENTS and days >= LEAST_DAYS and abs(now.rate - then.rate) >= LEAST_CHANGE
    return _Tested(Drift(where, measure, now, then, p), matters)


def _rest(share: Share) -> Share:
    return Share(share.of - share.count, share.of)


def _most_certain_first(one: Drift) -> tuple[float, str, str, str]:
    return one.p, one.where.dimension, one.where.name, one.measure
