"""Runs of statistics jobs, of either kind, and the conditions they lead to: `RollupsCurrent`, `RolledUp` (pure).

Invariant: no message contains elapsed time. It counts waiting windows, never seconds, so a status changes only when
something happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from butler_operator.reconcile.conditions import Condition, failed, passed, unknown
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.names import LABEL_COMPONENT

__all__ = ["STUCK", "Progress", "Run", "current", "progress_of", "rolled_up", "run_of", "stuck"]

Body = Mapping[str, Any]
STUCK: Final = timedelta(minutes=10)
"""A run submitted for this long awaits an image or a volume; nothing else ends it, and it blocks the next."""
BEHIND: Final = 2
"""How many windows may wait: one falls due each hour or day, and a run may be missed."""
_WORDS_MAX: Final = 300
State = Literal["submitted", "running", "done", "failed"]
_SPARK_STATES: Final[Mapping[str, State]] = {
    "": "submitted",
    "NEW": "submitted",
    "SUBMITTED": "submitted",
    "COMPLETED": "done",
    "FAILED": "failed",
    "SUBMISSION_FAILED": "failed",
}


@dataclass(frozen=True)
class Run:
    """One SparkApplication or Job; `since` is when it was last submitted or created."""

    kind: str
    name: str
    uid: str
    job: str
    state: State
    since: datetime
    words: str = ""


@dataclass(frozen=True)
class Progress:
    """A job as Switchboard sees it: how many closed windows wait."""

    job: str
    lag_s: float
    window_s: int

    @property
    def behind(self) -> int:
        return int(self.lag_s // self.window_s) if self.window_s > 0 else 0


def run_of(body: Body) -> Run:
    """Parse the run from an API object of either kind."""
    metadata, status = body["metadata"], body.get("status") or {}
    state, words = _of_job(status) if body["kind"] == "Job" else _of_application(status)
    since = str(status.get("lastSubmissionAttemptTime") or metadata["creationTimestamp"])
    job = (metadata.get("labels") or {}).get(LABEL_COMPONENT, metadata["name"])
    return Run(
        body["kind"],
        metadata["name"],
        metadata.get("uid", ""),
        job,
        state,
        datetime.fromisoformat(since),
        words,
    )


def _of_application(status: Body) -> tuple[State, str]:
    application = status.get("applicationState") or {}
    state = _SPARK_STATES.get(str(application.get("state", "")), "running")
    return state, str(application.get("errorMessage") or "")


def _of_job(status: Body) -> tuple[State, str]:
    told = {
        entry.get("type"): entry for entry in status.get("conditions") or () if entry.get("status") == "True"
    }
    if "Failed" in told:
        return "failed", str(told["Failed"].get("message") or told["Failed"].get("reason") or "")
    if "Complete" in told:
        return "done", ""
    return ("running" if status.get("active") else "submitted"), ""


def stuck(runs: Iterable[Run], now: datetime) -> tuple[Run, ...]:
    """Return the spark-operator runs that will not start by themselves; a Job has its own deadline."""
    return tuple(
        run
        for run in runs
        if run.kind == "SparkApplication" and run.state == "submitted" and now - run.since > STUCK
    )


def progress_of(answer: Body) -> tuple[Progress, ...]:
    """Return the jobs in the answer to `GET /ops/v1/rollups`."""
    return tuple(
        Progress(str(job["job"]), float(job["lag_s"]), int(job["window_s"]))
        for job in answer.get("jobs") or ()
    )


def current(runs: Sequence[Run], progress: Sequence[Progress], *, ended: Sequence[Run] = ()) -> Condition:
    """Return `RollupsCurrent` from each job's last run and the waiting windows; `ended` are stuck runs."""
    type_ = ConditionType.ROLLUPS_CURRENT
    if ended:
        text = f"{ended[0].name} was submitted and did not begin within 10 minutes; it is deleted"
        return failed(type_, Reason.RUN_STUCK, text)
    for run in _last_of_each(runs):
        if run.state == "failed":
            words = " ".join(run.words.split())[:_WORDS_MAX]
            return failed(type_, Reason.RUN_FAILED, f"{run.name} failed" + (f": {words}" if words else ""))
    behind = [one for one in progress if one.behind > BEHIND]
    if behind:
        names = ", ".join(one.job for one in behind)
        return failed(type_, Reason.LAGGING, f"{names}: more than {BEHIND} closed windows wait")
    return passed(type_, Reason.CURRENT, "every closed hour and day is computed, or is about to be")


def _last_of_each(runs: Sequence[Run]) -> list[Run]:
    last: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: (run.since, run.name)):
        if run.state in ("done", "failed"):
            last[run.job] = run
    return [last[job] for job in sorted(last)]


def rolled_up(run: Run | None) -> Condition:
    """Return `RolledUp` for the BackfillJob of `run`; `run` is None when no hour was changed."""
    type_ = ConditionType.ROLLED_UP
    if run is None:
        return passed(type_, Reason.COMPLETED, "no message came, so no statistics changed")
    if run.state == "done":
        return passed(type_, Reason.COMPLETED, f"{run.name} computed the hours and days that changed")
    if run.state == "failed":
        words = " ".join(run.words.split())[:_WORDS_MAX] or "its driver's log says why"
        return failed(
            type_, Reason.RUN_FAILED, f"{run.name} failed: {words}; the next scheduled run tries again"
        )
    return unknown(type_, Reason.RUNNING, f"{run.name} computes the hours and days that changed")
