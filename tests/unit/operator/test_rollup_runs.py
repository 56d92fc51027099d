"""What runs of statistics and their lag say, for both kinds of runs (SWB-22, D40)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler_operator.rollups.runs import Progress, Run, current, progress_of, rolled_up, run_of, stuck

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
HOUR, DAY = 3_600, 86_400


def application(state: str, *, age: timedelta = timedelta(minutes=1), words: str = "") -> dict[str, Any]:
    return {
        "kind": "SparkApplication",
        "metadata": {
            "name": f"rollups-hourly-{state or 'new'}".lower(),
            "uid": "u",
            "creationTimestamp": "2026-11-22T00:00:00Z",
            "labels": {"app.kubernetes.io/component": "rollups-hourly"},
        },
        "status": {
            "lastSubmissionAttemptTime": (NOW - age).isoformat(),
            "applicationState": {"state": state, "errorMessage": words},
        },
    }


def job(**status: Any) -> dict[str, Any]:
    metadata = {"name": "rollups-hourly-1", "creationTimestamp": "2026-11-22T11:00:00Z"}
    return {"kind": "Job", "metadata": metadata, "status": status}


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (application(""), "submitted"),
        (application("SUBMITTED"), "submitted"),
        (application("RUNNING"), "running"),
        (application("PENDING_RERUN"), "running"),
        (application("COMPLETED"), "done"),
        (application("FAILED"), "failed"),
        (application("SUBMISSION_FAILED"), "failed"),
        (job(), "submitted"),
        (job(active=1), "running"),
        (job(conditions=[{"type": "Complete", "status": "True"}]), "done"),
        (job(conditions=[{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]), "failed"),
    ],
)
def test_a_run_is_where_its_object_says(body: dict[str, Any], state: str) -> None:
    assert run_of(body).state == state


def test_only_what_was_submitted_long_ago_and_did_not_begin_is_stuck() -> None:
    old = timedelta(minutes=11)
    bodies = [
        application("SUBMITTED", age=old),
        application("RUNNING", age=old),
        application("SUBMITTED"),
        job(),
    ]
    assert [run.state for run in stuck(map(run_of, bodies), NOW)] == ["submitted"]


def progress(**behind: float) -> tuple[Progress, ...]:
    return tuple(
        Progress(name, windows * (HOUR if name == "hourly" else DAY), HOUR if name == "hourly" else DAY)
        for name, windows in behind.items()
    )


@pytest.mark.parametrize(
    ("behind", "status", "reason"),
    [
        ({"hourly": 0, "daily": 0}, "True", "Current"),
        ({"hourly": 2.9, "daily": 2}, "True", "Current"),
        ({"hourly": 3, "daily": 0}, "False", "Lagging"),
        ({"hourly": 0, "daily": 3, "fanout": 4}, "False", "Lagging"),
    ],
)
def test_more_than_two_windows_that_wait_are_a_lag(
    behind: dict[str, float], status: str, reason: str
) -> None:
    found = current((), progress(**behind))
    assert (found.type, found.status, found.reason) == ("RollupsCurrent", status, reason)


def test_a_lag_names_its_jobs_and_nothing_that_ticks() -> None:
    first, later = current((), progress(daily=3, fanout=4)), current((), progress(daily=9, fanout=9))
    assert first == later
    assert "daily, fanout" in first.message


def test_the_last_run_of_a_job_counts_and_its_words_are_told() -> None:
    failed = run_of(
        application("FAILED", age=timedelta(hours=1), words="driver  container\nfailed with ExitCode: 5")
    )
    good = run_of(application("COMPLETED"))
    assert current((failed, good), ()).status == "True"
    worse = current((good, run_of(application("FAILED", age=timedelta(0), words="no such table"))), ())
    assert (worse.status, worse.reason) == ("False", "RunFailed")
    assert "no such table" in worse.message
    assert "driver container failed with ExitCode: 5" in current((failed,), ()).message


def test_a_run_under_way_says_nothing_about_the_one_before() -> None:
    failed = run_of(application("FAILED", age=timedelta(hours=1)))
    assert current((failed, run_of(application("RUNNING"))), ()).reason == "RunFailed"


def test_a_stuck_run_is_named() -> None:
    run = run_of(application("SUBMITTED", age=timedelta(hours=1)))
    told = current((run,), (), ended=(run,))
    assert (told.reason, run.name in told.message) == ("RunStuck", True)


@pytest.mark.parametrize(
    ("state", "status", "reason"),
    [
        ("COMPLETED", "True", "Completed"),
        ("FAILED", "False", "RunFailed"),
        ("RUNNING", "Unknown", "Running"),
        ("SUBMITTED", "Unknown", "Running"),
    ],
)
def test_a_backfill_s_statistics_are_as_its_run(state: str, status: str, reason: str) -> None:
    found = rolled_up(run_of(application(state)))
    assert (found.type, found.status, found.reason) == ("RolledUp", status, reason)


def test_a_backfill_without_messages_changed_nothing() -> None:
    assert rolled_up(None).status == "True"


def test_the_answer_of_switchboard_is_read() -> None:
    answer = {"jobs": [{"job": "hourly", "watermark": None, "lag_s": 7_300.5, "window_s": HOUR}]}
    assert [(one.job, one.behind) for one in progress_of(answer)] == [("hourly", 2)]
    assert isinstance(run_of(job()), Run)
