"""The operator's own metrics; Prometheus shows them as `butlers_operator_…`, the roll-ups' as `butlers_rollup_…`."""

from __future__ import annotations

from typing import Final

from butler_kit.telemetry import Instrument, Metrics

__all__ = ["INSTRUMENTS", "OperatorMetrics"]

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
INSTRUMENTS: Final = (
    Instrument("butlers.operator.reconcile", "counter", "Finished reconciles.", ("kind", "outcome")),
    Instrument(
        "butlers.operator.errors", "counter", "Failed reconciles that are retried.", ("kind", "error")
    ),
    Instrument(
        "butlers.operator.duration_seconds", "histogram", "Duration of a reconcile.", ("kind",), _SECONDS
    ),
    Instrument(
        "butlers.operator.lag_seconds", "histogram", "Time that a due key waited for a worker.", (), _SECONDS
    ),
    Instrument("butlers.operator.queue_depth", "gauge", "Due keys waiting for a worker."),
    Instrument(
        "butlers.operator.writes",
        "counter",
        "Writes to the cluster; none while a household is idle.",
        ("kind", "verb"),
    ),
    Instrument(
        "butlers.operator.watch_behind",
        "gauge",
        "Objects that the last resync found outdated in the watches.",
    ),
    Instrument(
        "butlers.rollup.lag_seconds",
        "gauge",
        "Lag of the statistics: complete hours or days not yet computed, in seconds, as last reported by Switchboard.",
        ("namespace", "job"),
    ),
    Instrument(
        "butlers.operator.leader", "gauge", "1 while this process is active, 0 while it is on standby."
    ),
    Instrument(
        "butlers.operator.namespace_watched",
        "gauge",
        "1 for a namespace that is watched, 0 for one that cannot be.",
        ("namespace",),
    ),
    Instrument("butlers.operator.resync_age_seconds", "gauge", "Age of the last complete resync."),
)


class OperatorMetrics(Metrics):
    """`Metrics` with the operator's instruments."""

    def __init__(self) -> None:
        super().__init__(INSTRUMENTS)
