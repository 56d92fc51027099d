"""`GET /ops/v1/quality`: how good routing was by slice, and which slices have drifted (SWB-37.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Self

from butler_contracts.base import StrictModel
from butler_kit.db import acquire
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_QUERY, Reader, handed
from butler_rollups.drift import RECENT, Drift, first_day
from butler_rollups.evaluation import evaluated
from butler_rollups.quality import Counts, Dimension, Measure, QualityDay, Slice, sums_of
from butler_switchboard.operations.rollout_models import RolloutView, ShareView
from butler_switchboard.operations.routers.rollups import Statistics
from butler_switchboard.operations.view import View
from butler_switchboard.rollouts.rollouts import Rollouts

__all__ = ["reading_quality"]


class QualityQuestion(StrictModel):
    """`by`: only slices of this dimension; without it all."""

    by: Dimension | None = None


class DriftView(View):
    """A measure of a slice that is no longer what it was; `p` is adjusted for everything that was tested."""

    dimension: Dimension
    name: str
    measure: Measure
    recent: ShareView
    before: ShareView
    p: float

    @classmethod
    def told(cls, one: Drift) -> Self:
        return cls(
            dimension=one.where.dimension,
            name=one.where.name,
            measure=one.measure,
            recent=ShareView.told(one.recent),
            before=ShareView.told(one.before),
            p=one.p,
        )


class SpanView(View):
    """The decisions of a span of days, the parts of their messages, and how many decisions were what."""

    decisions: int
    segments: int
    counts: dict[Measure, int]

    @classmethod
    def told(cls, sums: Counts) -> Self:
        counts = {measure: sums.of(measure) for measure in Measure}
        return cls(decisions=sums.decisions, segments=sums.segments, counts=counts)


class SliceView(View):
    """The last seven days, and the 28 before."""

    dimension: Dimension
    name: str
    recent: SpanView
    before: SpanView


class QualityView(View):
    """Days of UTC from `first`, the recent ones from `recent_from`, all before `until`; null before the first message.

    `tested`: how many measures of slices had enough decisions to be compared. `rollout`: what is tried out meanwhile.
    """

    first: date | None
    recent_from: date | None
    until: date | None
    tested: int
    drifts: list[DriftView]
    slices: list[SliceView]
    rollout: RolloutView | None


reading_quality = ops_router()


@reading_quality.get("/quality")
async def quality(
    statistics: Annotated[Statistics, handed(Statistics)],
    rollouts: Annotated[Rollouts, handed(Rollouts)],
    _: Reader,
    asked: Annotated[QualityQuestion, *AS_QUERY],
) -> QualityView:
    """How good routing was, by slices, what has drifted, and what is tried out."""
    report = await rollouts.report()
    rollout = RolloutView.of(report) if report is not None else None
    async with acquire(statistics.pool, doing="evaluating routing") as connection:
        found = await evaluated(connection)
    if found is None:
        return QualityView(
            first=None, recent_from=None, until=None, tested=0, drifts=[], slices=[], rollout=rollout
        )
    evaluation = found.report
    turn = evaluation.until - RECENT
    return QualityView(
        rollout=rollout,
        first=first_day(evaluation.until),
        recent_from=turn,
        until=evaluation.until,
        tested=evaluation.tested,
        drifts=[DriftView.told(one) for one in evaluation.drifts],
        slices=[one for one in _slices(found.days, turn) if asked.by in (None, one.dimension)],
    )


def _slices(days: Iterable[QualityDay], turn: date) -> list[SliceView]:
    """Return every slice, by dimension and name."""
    known = list(days)
    recent = sums_of(day for day in known if day.day >= turn)
    before = sums_of(day for day in known if day.day < turn)
    order = list(Dimension)
    found = sorted({*recent, *before}, key=lambda one: (order.index(one.dimension), one.name))
    return [
        SliceView(
            dimension=one.dimension, name=one.name, recent=_span(recent, one), before=_span(before, one)
        )
        for one in found
    ]


def _span(sums: Mapping[Slice, Counts], one: Slice) -> SpanView:
    return SpanView.told(sums.get(one) or Counts())
