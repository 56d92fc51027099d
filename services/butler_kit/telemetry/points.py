"""What a registry holds as OpenTelemetry's metrics, under the specification's names; imported only to export them.

Sums and histograms count from the process's start, like `/metrics`. Nothing has a unit: the names have it, and a
collector that writes for Prometheus would add it to them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    DataT,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client import Metric as Family

from butler_kit.version import VERSION

__all__ = ["metrics_data"]

_UNKNOWN: Final[Any] = None
"""Smallest and largest value of a histogram, which the registry does not keep; the encoder leaves them out."""


def metrics_data(
    families: Iterable[tuple[str, Family]], resource: Resource, *, since_ns: int, now_ns: int
) -> MetricsData:
    """Return one request's content; instruments without a series are left out. Times are ns since the epoch."""
    metrics = [
        Metric(name, family.documentation, "", _data(family, since_ns, now_ns))
        for name, family in families
        if family.samples
    ]
    scope = ScopeMetrics(InstrumentationScope("butlers", VERSION), metrics, "")
    return MetricsData([ResourceMetrics(resource, [scope], "")])


def _data(family: Family, since_ns: int, now_ns: int) -> DataT:
    if family.type == "histogram":
        points = [series.point(since_ns, now_ns) for series in _distributions(family)]
        return Histogram(points, AggregationTemporality.CUMULATIVE)
    values = [NumberDataPoint(one.labels, since_ns, now_ns, one.value) for one in family.samples]
    if family.type == "counter":
        return Sum(values, AggregationTemporality.CUMULATIVE, is_monotonic=True)
    return Gauge(values)


@dataclass
class _Distribution:
    """One series of a histogram: how many values were at most each bound, the last of which is infinite."""

    labels: Mapping[str, str]
    bounds: list[float] = field(default_factory=list)
    at_most: list[int] = field(default_factory=list)
    total: float = 0.0

    def point(self, since_ns: int, now_ns: int) -> HistogramDataPoint:
        """Return it with counts by bucket, whose sum is the count."""
        return HistogramDataPoint(
            attributes=self.labels,
            start_time_unix_nano=since_ns,
            time_unix_nano=now_ns,
            count=self.at_most[-1],
            sum=self.total,
            bucket_counts=[after - before for before, after in pairwise([0, *self.at_most])],
            explicit_bounds=self.bounds[:-1],
            min=_UNKNOWN,
            max=_UNKNOWN,
        )


def _distributions(family: Family) -> Iterable[_Distribution]:
    found: dict[tuple[str, ...], _Distribution] = {}
    for sample in family.samples:
        labels = {name: value for name, value in sample.labels.items() if name != "le"}
        series = found.setdefault(tuple(labels.values()), _Distribution(labels))
        if sample.name.endswith("_bucket"):
            series.bounds.append(float(sample.labels["le"]))
            series.at_most.append(int(sample.value))
        elif sample.name.endswith("_sum"):
            series.total = sample.value
    return found.values()
