"""The roll-ups as functions from frames to frames (PURE: no reading, no session; SWB-22.1 to 22.3, CNX-13, D37).

The same specification as the `stage` queries of the SQL engine, row for row; columns are those of the stage.
Every step between two beats is examined, although an hour's highest value would do for counters that only grow: the
longest gap and the number of resets need each step, and a fall in the middle of an hour shows in no total.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from butler_contracts.ingest import CONNECTOR_SOURCES

__all__ = ["COUNTERS", "daily", "fanout", "hourly", "quality"]

COUNTERS: Final = ("messages_ingested", "messages_failed", "source_api_calls", "dedupe_accepted")
_CONNECTOR: Final = ("connector_type", "endpoint_identity")
_STATES: Final = ("healthy", "degraded", "error")
_COUNTS: Final = ("heartbeat_count", "healthy_count", "degraded_count", "error_count", "counter_resets")
_HIGHEST: Final = 2**63 - 1


def hourly(
    beats: DataFrame, baselines: DataFrame, *, start: datetime, log_starts_at: datetime | None
) -> DataFrame:
    """Return the differences between the beats of each instance, by connector and hour.

    `baselines` holds each instance's last beat before `start`, from which differences are counted. An instance that
    has none and is older than the log has an unknown first difference: it is left out and the row says so.
    """
    instance = Window.partitionBy(*_CONNECTOR, "instance_id").orderBy("received_at", "uptime_s", *COUNTERS)
    before = {name: F.lag(name).over(instance) for name in ("received_at", *COUNTERS)}
    steps = baselines.unionByName(beats).select(
        "*", *(column.alias(f"{name}_before") for name, column in before.items())
    )
    fell = F.lit(False)
    for name in COUNTERS:
        fell = fell | F.coalesce(F.col(name) < F.col(f"{name}_before"), F.lit(False))
    counted = steps.where(F.col("received_at") >= F.lit(start)).withColumn("known", _known(log_starts_at))
    return counted.groupBy(*_CONNECTOR, F.date_trunc("hour", "received_at").alias("hour")).agg(
        *(_saturated(_difference(name)).alias(name) for name in COUNTERS),
        F.count(F.lit(1)).alias("heartbeat_count"),
        *(F.count_if(F.col("state") == state).alias(f"{state}_count") for state in _STATES),
        F.min("heartbeat_interval_s").alias("heartbeat_interval_s"),
        F.count_if(fell).alias("counter_resets"),
        F.max((_micros("received_at") - _micros("received_at_before")) / F.lit(1e6)).alias("max_gap_s"),
        F.bool_and("known").alias("baseline_known"),
    )


def daily(hours: DataFrame) -> DataFrame:
    """Return the published hours summed by UTC day."""
    return hours.groupBy(*_CONNECTOR, F.to_date("hour").alias("day")).agg(
        *(_saturated(F.col(name)).alias(name) for name in COUNTERS),
        *(F.sum(name).alias(name) for name in _COUNTS),
        F.max("expected_count").alias("expected_per_hour"),
        F.max("max_gap_s").alias("max_gap_s"),
        F.count(F.lit(1)).alias("hours"),
    )


def fanout(outcomes: DataFrame) -> DataFrame:
    """Return messages by connector, butler and day; the connector follows from channel and provider."""
    return outcomes.groupBy(
        _connector_type().alias("connector_type"),
        "endpoint_identity",
        "target_butler",
        F.to_date("received_at").alias("day"),
    ).agg(F.count(F.lit(1)).alias("message_count"))


def quality(decisions: DataFrame) -> DataFrame:
    """Return decisions by source, target, model and prompt version and day, with a count per measure."""
    counted = {
        "divided": F.col("segments") > 1,
        "corrected": F.col("corrected"),
        "fallbacks": F.col("fell_back"),
        "invalid_verdicts": F.col("invalid"),
        "partial_failures": F.col("partly_failed"),
        "total_failures": F.col("wholly_failed"),
    }
    return decisions.groupBy(
        "source_channel",
        "target_butler",
        "model_version",
        "prompt_version",
        F.to_date("received_at").alias("day"),
    ).agg(
        F.count(F.lit(1)).alias("decisions"),
        F.sum("segments").alias("segments"),
        *(F.count_if(condition).alias(name) for name, condition in counted.items()),
    )


def _connector_type() -> Column:
    """Return the connector type for channel and provider; a channel without a type stands for itself."""
    channel, provider = F.col("source_channel"), F.col("source_provider")
    named = channel
    for connector_type, (its_channel, its_provider) in CONNECTOR_SOURCES.items():
        here = (channel == its_channel.value) & (provider == its_provider.value)
        named = F.when(here, F.lit(connector_type)).otherwise(named)
    return named


def _known(log_starts_at: datetime | None) -> Column:
    """Return whether the beat to count from is there, or never existed."""
    if log_starts_at is None:
        return F.lit(True)
    began = _micros("received_at") - F.rint(F.col("uptime_s") * F.lit(1e6)).cast("long")
    return F.col("received_at_before").isNotNull() | (began >= F.unix_micros(F.lit(log_starts_at)))


def _difference(name: str) -> Column:
    """Return the growth of a counter; one that fell was reset and counts from zero."""
    now, before = F.col(name), F.col(f"{name}_before")
    return F.when(now >= before, now - before).when(F.col("known"), now).otherwise(F.lit(0))


def _saturated(terms: Column) -> Column:
    """Return the sum of terms that are not negative; the highest number if it would not fit."""
    return F.coalesce(F.try_sum(terms), F.lit(_HIGHEST))


def _micros(name: str) -> Column:
    return F.unix_micros(F.col(name))
