"""Prometheus metrics of one service instance: fixed names and labels, a bound on series.

Each `Metrics` has its own registry, so that several services can live in one process. A name or label that was
not declared is a programming error and raises; a series beyond the bound is counted and left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from butler_kit.telemetry.instruments import PROCESS, Instrument

__all__ = ["MAX_SERIES", "Metrics"]

MAX_SERIES: Final = 500
"""Label combinations one instrument may have."""
_MAX_LABEL_CHARS: Final = 80
_DROPPED: Final = "butlers.metric.series_dropped"
# They would be a second series for each one, which nothing here reads.
disable_created_metrics()  # type: ignore[no-untyped-call]
_TYPES: Final = {"counter": Counter, "gauge": Gauge}


class Metrics:
    """The instruments of one service: `metrics.count(name, channel="telegram")`."""

    def __init__(
        self,
        instruments: Sequence[Instrument],
        *,
        max_series: int = MAX_SERIES,
    ) -> None:
        self.registry = CollectorRegistry()
        self._max_series = max_series
        self._declared = {i.name: i for i in (*PROCESS, *instruments)}
        self._collectors = {i.name: self._create(i) for i in self._declared.values()}
        self._series: dict[str, dict[tuple[str, ...], Any]] = {name: {} for name in self._declared}
        ProcessCollector(registry=self.registry)

    def count(self, name: str, amount: float = 1, /, **labels: str) -> None:
        """Add to a counter."""
        series = self._find(name, "counter", labels)
        if series is not None:
            series.inc(amount)

    def set(self, name: str, value: float, /, **labels: str) -> None:
        """Set a gauge."""
        series = self._find(name, "gauge", labels)
        if series is not None:
            series.set(value)

    def add(self, name: str, amount: float, /, **labels: str) -> None:
        """Move a gauge up or down."""
        series = self._find(name, "gauge", labels)
        if series is not None:
            series.inc(amount)

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        """Record one value of a histogram, in the unit of its name."""
        series = self._find(name, "histogram", labels)
        if series is not None:
            series.observe(value)

    def forget(self, name: str, /, **labels: str) -> None:
        """End the series of a counter or gauge whose subject is gone."""
        values = tuple(labels[label] for label in self._declared[name].labels)
        if self._series[name].pop(values, None) is not None:
            self._collectors[name].remove(*(value[:_MAX_LABEL_CHARS] for value in values))

    def value(self, name: str, /, **labels: str) -> float:
        """Return a counter's or gauge's value, or a histogram's count; 0 before the first sample."""
        instrument = self._declared[name]
        base = instrument.name.replace(".", "_").removesuffix("_total")
        suffix = {"counter": "_total", "gauge": "", "histogram": "_count"}[instrument.kind]
        return self.registry.get_sample_value(base + suffix, labels) or 0.0

    def expose(self) -> tuple[bytes, str]:
        """Return the text for `/metrics` and its content type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST

    def families(self) -> list[tuple[str, Metric]]:
        """Return what every instrument holds, by its specified name; the process's own by Prometheus' name."""
        specified = {i.name.replace(".", "_").removesuffix("_total"): i.name for i in self._declared.values()}
        return [(specified.get(family.name, family.name), family) for family in self.registry.collect()]

    def _create(self, instrument: Instrument) -> Counter | Gauge | Histogram:
        name = instrument.name.replace(".", "_")
        if instrument.kind == "histogram":
            return Histogram(
                name, instrument.help, instrument.labels, registry=self.registry, buckets=instrument.buckets
            )
        collector: Counter | Gauge = _TYPES[instrument.kind](
            name, instrument.help, instrument.labels, registry=self.registry
        )
        return collector

    def _find(self, name: str, kind: str, labels: dict[str, str]) -> Any | None:
        instrument = self._declared.get(name)
        if instrument is None or instrument.kind != kind:
            raise ValueError(f"no {kind} named '{name}' is declared for this service")
        if len(labels) != len(instrument.labels):
            raise ValueError(f"'{name}' needs exactly the labels {instrument.labels}, not {tuple(labels)}")
        try:
            values = tuple(labels[label] for label in instrument.labels)
        except KeyError as missing:
            raise ValueError(f"'{name}' needs the label {missing}") from None
        return self._series[name].get(values) or self._open(instrument, values)

    def _open(self, instrument: Instrument, values: tuple[str, ...]) -> Any | None:
        known = self._series[instrument.name]
        if len(known) >= self._max_series:
            if instrument.name != _DROPPED:
                self.count(_DROPPED, metric=instrument.name)
            return None
        collector = self._collectors[instrument.name]
        cut = tuple(str(value)[:_MAX_LABEL_CHARS] for value in values)
        known[values] = collector.labels(*cut) if values else collector
        return known[values]
