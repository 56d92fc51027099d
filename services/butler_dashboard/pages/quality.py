"""`/quality`: routing quality by source, butler, model and prompt version, and its drifts (SWB-37.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from butler_dashboard.pages.charts import Series, Volume, volume
from butler_dashboard.pages.queries import one_of
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.quality import Arm, Quality, Rollout, household_quality, household_rollouts
from butler_dashboard.reads.reader import Reader
from butler_rollups.drift import Drift
from butler_rollups.quality import ALL, Counts, Dimension, Measure, QualityDay, Slice, sums_of

__all__ = ["BY", "CHARTED", "Figure", "Found", "SliceRow", "quality_page", "shown_quality", "shown_rollout"]

BY: Final = {
    "target": "Butler",
    "source": "Source",
    "model": "Model",
    "prompt": "Prompt version",
}
WORDS: Final = {
    Measure.CORRECTED: "Wrong butler",
    Measure.FALLBACKS: "Undecided, to general",
    Measure.INVALID: "Not usable",
    Measure.PARTIAL: "Failed in part",
    Measure.TOTAL: "Failed",
    Measure.DIVIDED: "Several parts",
}
CHARTED: Final = {"decisions": "All", **{measure.value: word for measure, word in WORDS.items()}}
SIGNALS: Final = {
    "invalid_verdicts": "Not usable",
    "fallbacks": "Undecided, to general",
    "corrected": "Wrong butler",
    "errors": "No answer",
}
_HOUSEHOLD: Final = Slice(Dimension.HOUSEHOLD, ALL)
_NOTHING: Final = Counts()


@dataclass(frozen=True, slots=True)
class Figure:
    """A share of the recent and of the earlier decisions, in percent; None when there were none."""

    word: str
    recent: float | None
    before: float | None
    drifts: bool


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One slice; `parts` is the average number of parts per message."""

    name: str
    recent: int
    before: int
    figures: tuple[Figure, ...]
    parts: float | None
    parts_before: float | None


@dataclass(frozen=True, slots=True)
class Found:
    """One drift in words."""

    word: str
    where: str
    recent: str
    before: str


@dataclass(frozen=True, slots=True)
class TriedFigure:
    """One signal of a rollout, in percent of each side's decisions; `worse`: it was rolled back for that."""

    word: str
    candidate: float | None
    usual: float | None
    worse: bool


@dataclass(frozen=True, slots=True)
class Tried:
    """A rollout: what is tried beside what is usual, since when it is so, and its signals."""

    candidate: str
    usual: str
    state: str
    since: datetime
    decisions: int
    usual_decisions: int
    figures: tuple[TriedFigure, ...]


async def quality_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Render the page from one read."""
    by = one_of(request, "by", tuple(BY)) or "target"
    charted = one_of(request, "show", tuple(CHARTED)) or "decisions"
    found, tried = await household_quality(reader), await household_rollouts(reader)
    context = shown_quality(found, by, charted) if found is not None and found.days else {"found": None}
    shown = {
        "by": by,
        "show": charted,
        "dimensions": BY,
        "measures": CHARTED,
        "rollouts": [shown_rollout(one) for one in tried],
    }
    return pages.page(request, "quality.html", {**context, **shown}, section="quality")


def shown_quality(found: Quality, by: str, charted: str) -> dict[str, Any]:
    """Return the template's context."""
    dimension, drifts = Dimension(by), found.report.drifts
    recent = sums_of(day for day in found.days if day.day >= found.turn)
    before = sums_of(day for day in found.days if day.day < found.turn)
    names = [one for one in {**recent, **before} if one.dimension is dimension]
    rows = [_row(one, recent, before, drifts) for one in names]
    return {
        "found": found,
        "household": _row(_HOUSEHOLD, recent, before, drifts),
        "rows": sorted(rows, key=lambda row: (-row.recent, -row.before, row.name)),
        "drifts": [_found(one) for one in drifts],
        "volume": _chart(found, dimension, charted),
    }


def shown_rollout(found: Rollout) -> Tried:
    """Return a rollout in words."""
    usual, candidate = found.usual, found.candidate
    signals = tuple(
        TriedFigure(word, _of(candidate, name), _of(usual, name), found.worse_by == name)
        for name, word in SIGNALS.items()
    )
    return Tried(
        _version(candidate),
        _version(usual),
        "rolled back" if found.rolled_back_at is not None else "on trial",
        found.rolled_back_at or found.begun_at,
        candidate.decisions,
        usual.decisions,
        signals,
    )


def _version(arm: Arm) -> str:
    return f"{arm.model} with {arm.prompt}"


def _of(arm: Arm, name: str) -> float | None:
    return 100 * getattr(arm, name) / arm.decisions if arm.decisions else None


def _row(
    one: Slice, recent: Mapping[Slice, Counts], before: Mapping[Slice, Counts], drifts: Sequence[Drift]
) -> SliceRow:
    now, then = recent.get(one, _NOTHING), before.get(one, _NOTHING)
    drifting = {drift.measure for drift in drifts if drift.where == one}
    return SliceRow(
        _name(one.name),
        now.decisions,
        then.decisions,
        tuple(
            Figure(word, _percent(now, measure), _percent(then, measure), measure in drifting)
            for measure, word in WORDS.items()
        ),
        _parts(now),
        _parts(then),
    )


def _found(one: Drift) -> Found:
    household = one.where.dimension is Dimension.HOUSEHOLD
    where = "everywhere" if household else f"{BY[one.where.dimension.value].lower()} {_name(one.where.name)}"
    recent, before = one.recent, one.before
    return Found(
        WORDS[one.measure], where, f"{recent.count} of {recent.of}", f"{before.count} of {before.of}"
    )


def _chart(found: Quality, dimension: Dimension, charted: str) -> Volume:
    """Return the chart of the days, one series per slice; slices without counts are left out."""
    days = [found.first + timedelta(days=at) for at in range((found.report.until - found.first).days)]
    counted: dict[str, dict[Any, int]] = {}
    for row in found.days:
        for name in _names(row, dimension):
            of_day = counted.setdefault(name, {})
            of_day[row.day] = of_day.get(row.day, 0) + getattr(row, charted)
    series = [
        Series(_name(name), tuple(of_day.get(day, 0) for day in days))
        for name, of_day in sorted(counted.items())
        if any(of_day.values())
    ]
    starts = [datetime.combine(day, time(), UTC) for day in days]
    return volume(starts, timedelta(days=1), series)


def _names(row: QualityDay, dimension: Dimension) -> Iterable[str]:
    return (one.name for one in sums_of([row]) if one.dimension is dimension)


def _name(name: str) -> str:
    return name or "none"


def _percent(counts: Counts, measure: Measure) -> float | None:
    return 100 * counts.share(measure) if counts.decisions else None


def _parts(counts: Counts) -> float | None:
    return counts.segments / counts.decisions if counts.decisions else None
