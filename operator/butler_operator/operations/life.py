"""PURE: the life cycle of an operation: requested, tried, ended; and when its object may be deleted.

Invariants: an ended operation is never requested again, and none is first requested after `expiresAfterSeconds`. An
operation that may have been requested already is requested again even then: the service knows its key, so the status
shows the real outcome instead of a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Final

from butler_operator.reconcile.conditions import Condition, failed, passed, stamp
from butler_resources.kinds import ButlerOperation
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.statuses import OperationPhase

__all__ = ["CERTAINTY", "KEPT", "Ended", "Step", "ended", "next_step", "running", "settled", "waiting"]

KEPT: Final = timedelta(days=7)
"""How long an ended operation is kept for inspection; the audit log keeps it for good."""
CERTAINTY: Final = timedelta(hours=1)
"""How long after its expiry an operation that was tried is still asked about."""
_DETAILS_MAX: Final = 20
_TEXT_MAX: Final = 500
Body = Mapping[str, Any]


class Step(Enum):
    """What to do now."""

    ASK = "ask"
    EXPIRE = "expire"
    GIVE_UP = "give up"
    KEEP = "keep"
    DELETE = "delete"


@dataclass(frozen=True)
class Ended:
    """The outcome of an operation, passed to `ended`."""

    phase: OperationPhase
    reason: Reason
    message: str
    answer: Mapping[str, Any]


def settled(body: Body, now: datetime) -> Step | None:
    """Return what becomes of an ended operation, whether or not its spec can still be read; None for an open one."""
    status = body.get("status") or {}
    if not OperationPhase(status.get("phase") or OperationPhase.PENDING).final:
        return None
    return Step.DELETE if now >= _moment(status.get("finishedAt"), now) + KEPT else Step.KEEP


def next_step(operation: ButlerOperation, body: Body, now: datetime) -> Step:
    """Return the step that an operation's age and status call for."""
    over = settled(body, now)
    if over is not None:
        return over
    age = now - _moment(body["metadata"].get("creationTimestamp"), now)
    limit = timedelta(seconds=operation.spec.expires_after_seconds)
    if age < limit:
        return Step.ASK
    if (body.get("status") or {}).get("phase") != OperationPhase.RUNNING:
        return Step.EXPIRE
    return Step.ASK if age < limit + CERTAINTY else Step.GIVE_UP


def running(body: Body, now: datetime) -> tuple[dict[str, Any], tuple[Condition, ...]]:
    """Return fields and conditions before the first call; from then on it may have been carried out."""
    started = (body.get("status") or {}).get("startedAt") or stamp(now)
    return {"phase": OperationPhase.RUNNING.value, "startedAt": started}, _open(
        Reason.RUNNING, "being asked for"
    )


def waiting(message: str) -> tuple[dict[str, Any], tuple[Condition, ...]]:
    """Return fields and conditions while the service does not answer; the phase stays."""
    return {"result": {"message": _cut(message)}}, _open(Reason.RUNNING, message)


def ended(outcome: Ended, now: datetime) -> tuple[dict[str, Any], tuple[Condition, ...]]:
    """Return fields and conditions of an ended operation."""
    audit = outcome.answer.get("audit_id")
    fields = {
        "phase": outcome.phase.value,
        "result": {"message": _cut(outcome.message), "details": _details(outcome.answer)},
        "auditId": None if audit is None else str(audit),
        "finishedAt": stamp(now),
    }
    well = outcome.phase is OperationPhase.SUCCEEDED
    complete = (passed if well else failed)(ConditionType.COMPLETE, outcome.reason, outcome.message)
    bad = (failed if well else passed)(ConditionType.FAILED, outcome.reason, "" if well else outcome.message)
    return fields, (complete, bad)


def _open(reason: Reason, message: str) -> tuple[Condition, ...]:
    return failed(ConditionType.COMPLETE, reason, message), failed(ConditionType.FAILED, reason, "")


def _details(answer: Mapping[str, Any]) -> dict[str, str]:
    plain = {
        key: str(value)
        for key, value in answer.items()
        if isinstance(value, str | int | float) and key != "audit_id" and str(value)
    }
    return {key: _cut(value) for key, value in sorted(plain.items())[:_DETAILS_MAX]}


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_MAX else f"{text[: _TEXT_MAX - 1]}…"


def _moment(text: str | None, otherwise: datetime) -> datetime:
    return otherwise if not text else datetime.fromisoformat(text.replace("Z", "+00:00"))
