"""Decide a BackfillJob's next request to Switchboard and its status (pure; D34).

Level-triggered: `spec.suspend` compared with the job's state is the whole decision. A job at its cap is paused like
any other, so setting `spec.suspend` to `true`, then `false`, resumes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from butler_operator.backfill.row import Row
from butler_operator.reconcile.conditions import (
    Condition,
    condition_of,
    failed,
    kstatus,
    passed,
    staged,
    stamp,
    unknown,
)
from butler_operator.reconcile.notices import Notice
from butler_resources.kinds.backfill import BackfillJobSpec
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.statuses import BackfillState

__all__ = ["Verb", "conditions", "events", "fields", "looks_again_s", "next_verb", "waiting"]

Verb = Literal["pause", "resume", "limits"]
PROGRESS_EVERY: Final = timedelta(minutes=1)
"""A status is written for figures alone at most this often."""
_SUSPENDABLE: Final = frozenset({BackfillState.PENDING, BackfillState.ACTIVE, BackfillState.COST_CAPPED})
_RUNNING: Final = frozenset({BackfillState.PENDING, BackfillState.ACTIVE})
_WITHOUT_HISTORY: Final = frozenset({"telegram_bot", "webhook"})
_STAGES: Final = (ConditionType.ACCEPTED, ConditionType.RESOLVED_REFS)
_FIGURES: Final = (
    "rowsProcessed",
    "rowsSkipped",
    "costSpentCents",
    "costSpentTodayCents",
    "error",
)
_TOLD: Final = (
    ConditionType.COMPLETE,
    ConditionType.FAILED,
    ConditionType.COST_CAPPED,
    ConditionType.CONNECTOR_OFFLINE,
)


def next_verb(spec: BackfillJobSpec, row: Row) -> Verb | None:
    """Return the one request to make now; None when the job is as the manifest wants it."""
    if row.ended:
        return None
    if spec.suspend and row.state in _SUSPENDABLE:
        return "pause"
    wanted = (spec.rate_limit_per_hour, spec.daily_cost_cap_cents)
    if wanted != (row.rate_limit_per_hour, row.daily_cost_cap_cents):
        return "limits"
    if not spec.suspend and row.state is BackfillState.PAUSED:
        return "resume"
    return None


def looks_again_s(row: Row, *, beat_s: float) -> float | None:
    """Return the delay until Switchboard is asked again; None unless a connector can move the job."""
    return beat_s if row.state in _RUNNING else None


def fields(row: Row, old: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """Return the status fields; figures at once when the state changed, else at most once a minute."""
    said: dict[str, Any] = {
        "jobId": row.job_id,
        "state": row.state.value,
        "startedAt": row.started_at,
        "finishedAt": row.finished_at,
    }
    figures = {
        "rowsProcessed": row.rows_processed,
        "rowsSkipped": row.rows_skipped,
        "costSpentCents": row.cost_spent_cents,
        "costSpentTodayCents": row.cost_spent_today_cents,
        "error": row.error,
    }
    moved = old.get("state") != row.state.value
    changed = any(old.get(name) != figures[name] for name in _FIGURES)
    if moved or (changed and _is_due(old.get("progressAt"), now)):
        return said | figures | {"progressAt": stamp(now)}
    return said


def _is_due(progress_at: Any, now: datetime) -> bool:
    return progress_at is None or now - datetime.fromisoformat(str(progress_at)) >= PROGRESS_EVERY


def conditions(row: Row) -> tuple[Condition, ...]:
    """Return every condition of a job that Switchboard has."""
    stages = _stages(passed(ConditionType.RESOLVED_REFS, Reason.RESOLVED, "the connector exists"))
    reconciling, stalled = kstatus(stages)
    if row.state in (BackfillState.COST_CAPPED, BackfillState.ERROR):
        why = _progressing(row)
        stalled = passed(stalled.type, why.reason, why.message)
    return (*stages, reconciling, stalled, *_facts(row))


def waiting(
    resolved: Condition, progressing: Condition, *, offline: Condition | None = None
) -> tuple[Condition, ...]:
    """Return every condition of a job that Switchboard does not have yet or cannot be asked about."""
    stages = _stages(resolved)
    nothing = (
        failed(ConditionType.COMPLETE, Reason.PENDING, ""),
        failed(ConditionType.FAILED, Reason.PENDING, ""),
        failed(ConditionType.COST_CAPPED, Reason.WITHIN_COST_CAP, ""),
    )
    last = offline or unknown(ConditionType.CONNECTOR_OFFLINE, Reason.PENDING, "not asked yet")
    return (*stages, *kstatus(stages), progressing, *nothing, last)


def _stages(resolved: Condition) -> tuple[Condition, ...]:
    accepted = passed(ConditionType.ACCEPTED, Reason.ACCEPTED, "the manifest is valid")
    return staged(_STAGES, [accepted, resolved])


def _facts(row: Row) -> tuple[Condition, ...]:
    done = row.state is BackfillState.COMPLETED
    capped = row.state is BackfillState.COST_CAPPED
    figures = f"{row.rows_processed} messages taken, {row.rows_skipped} passed over"
    complete, cost = ConditionType.COMPLETE, ConditionType.COST_CAPPED
    within = failed(cost, Reason.WITHIN_COST_CAP, "")
    return (
        _progressing(row),
        passed(complete, Reason.COMPLETED, figures) if done else failed(complete, _open_reason(row), ""),
        _failed(row),
        passed(cost, Reason.COST_CAP_REACHED, _capped_text(row)) if capped else within,
        _offline(row),
    )


def _progressing(row: Row) -> Condition:
    type_ = ConditionType.PROGRESSING
    match row.state:
        case BackfillState.ACTIVE:
            return passed(type_, Reason.RUNNING, "the connector reads its history")
        case BackfillState.PENDING:
            return failed(type_, Reason.WAITING_FOR_CONNECTOR, "the connector has not taken the job yet")
        case BackfillState.PAUSED:
            return failed(type_, Reason.SUSPENDED, "spec.suspend is true; the place is kept")
        case BackfillState.COST_CAPPED:
            return failed(type_, Reason.COST_CAP_REACHED, _capped_text(row))
        case BackfillState.COMPLETED:
            return failed(type_, Reason.COMPLETED, "everything was read")
        case BackfillState.CANCELLED:
            return failed(type_, Reason.CANCELLED, "it was cancelled")
        case BackfillState.ERROR:
            return failed(type_, _error_reason(row), row.error or "the connector gave up")


def _failed(row: Row) -> Condition:
    type_ = ConditionType.FAILED
    if row.state is BackfillState.ERROR:
        return passed(type_, _error_reason(row), row.error or "the connector gave up")
    if row.state is BackfillState.CANCELLED:
        return passed(type_, Reason.CANCELLED, "it was cancelled before its end")
    return failed(type_, Reason.COMPLETED if row.ended else _open_reason(row), "")


def _open_reason(row: Row) -> str:
    return _progressing(row).reason


def _error_reason(row: Row) -> str:
    return Reason.NOT_SUPPORTED if row.connector_type in _WITHOUT_HISTORY else Reason.CONNECTOR_ERROR


def _capped_text(row: Row) -> str:
    return (
        f"the day's spend has reached {row.daily_cost_cap_cents} cents; set spec.suspend to true, "
        "then to false to go on"
    )


def _offline(row: Row) -> Condition:
    type_ = ConditionType.CONNECTOR_OFFLINE
    if row.ended:
        return failed(type_, Reason.SETTLED, "")
    if row.connector_online:
        return failed(type_, Reason.CONNECTOR_IS_ONLINE, "its heartbeats arrive")
    return passed(type_, Reason.CONNECTOR_IS_OFFLINE, "no heartbeat lately; the job waits with its place")


def events(old: Mapping[str, Any], new: Sequence[Condition]) -> tuple[Notice, ...]:
    """Return the events to emit once, when a condition becomes true."""
    told = []
    for condition in new:
        before = condition_of(old, condition.type)
        became = condition.status == "True" and (before is None or before.status != "True")
        if condition.type in _TOLD and became:
            kind: Literal["Normal", "Warning"] = (
                "Normal" if condition.type == ConditionType.COMPLETE else "Warning"
            )
            note = f"{condition.type}: {condition.message or condition.reason}"
            told.append(Notice(kind, condition.reason, note))
    return tuple(told)
