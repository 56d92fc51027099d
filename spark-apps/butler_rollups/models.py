"""The inputs and results of a roll-up: jobs, windows, reports (pure; SWB-22)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

__all__ = ["OF_MESSAGES", "STATISTICS", "STEP", "Job", "JobReport", "Pruned", "Window", "WindowReport"]


class Job(StrEnum):
    """Four jobs fill one table each; `prune` removes old data."""

    HOURLY = "hourly"
    DAILY = "daily"
    FANOUT = "fanout"
    QUALITY = "quality"
    PRUNE = "prune"


STATISTICS: Final = (Job.HOURLY, Job.DAILY, Job.FANOUT, Job.QUALITY)
OF_MESSAGES: Final = (Job.FANOUT, Job.QUALITY)
"""Jobs that read the inbox, whose months are dropped."""
STEP: Final = {job: timedelta(hours=1) if job is Job.HOURLY else timedelta(days=1) for job in STATISTICS}
"""How long one bucket of a job is, always in UTC."""


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A range of whole buckets in UTC, `end` excluded."""

    start: datetime
    end: datetime

    def __str__(self) -> str:
        return f"{text_of(self.start)} to {text_of(self.end)}"


@dataclass(frozen=True, slots=True)
class WindowReport:
    """The result of publishing one window: `changed` rows written, `deleted` rows that the source no longer gives.

    `rows` were computed, `kept` of them gave way to a stored row whose source was pruned; `source_rows` were read.
    """

    window: Window
    rows: int
    source_rows: int
    changed: int
    deleted: int
    kept: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "start": text_of(self.window.start),
            "end": text_of(self.window.end),
            "rows": self.rows,
            "source_rows": self.source_rows,
            "changed": self.changed,
            "deleted": self.deleted,
            "kept": self.kept,
        }


@dataclass(frozen=True, slots=True)
class Pruned:
    """What `prune` removed from one table: rows, from when to when, and the number of whole `partitions`."""

    table: str
    rows: int
    first: str | None
    last: str | None
    partitions: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "table": self.table,
            "rows": self.rows,
            "first": self.first,
            "last": self.last,
            "partitions": self.partitions,
        }


@dataclass(frozen=True, slots=True)
class JobReport:
    """One run. `watermark` is the end of the gapless published windows; None before the first."""

    job: Job
    engine: str
    windows: tuple[WindowReport, ...] = ()
    pruned: tuple[Pruned, ...] = ()
    watermark: datetime | None = None
    lag_s: float = 0.0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the one JSON object of `--json`."""
        document: dict[str, Any] = {
            "job": self.job.value,
            "engine": self.engine,
            "windows": [window.to_json() for window in self.windows],
            "watermark": text_of(self.watermark) if self.watermark else None,
            "lag_s": round(self.lag_s, 3),
            "seconds": round(self.seconds, 3),
        }
        for name in ("rows", "source_rows", "changed", "deleted", "kept"):
            document[name] = sum(getattr(window, name) for window in self.windows)
        if self.job is Job.PRUNE:
            document["pruned"] = [pruned.to_json() for pruned in self.pruned]
        return document


def text_of(moment: datetime) -> str:
    """Return RFC 3339 with Z, as people type it."""
    return moment.isoformat().replace("+00:00", "Z")
