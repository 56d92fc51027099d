"""Which points are killed at together: in each round one of each kind of process, so that recoveries overlap.

A set of rounds has one household: whoever is killed often in a row is started again ever later (as it should be), so
a set is short.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from butler_kit.faults import points

ROUNDS_PER_SET = 4
OWN_TEST = (
    points.LEASE_TAKEN,
    points.SCHEDULE_CLAIMED,
    points.DIGEST_GATHERED,
    points.DIGEST_TOLD,
    points.PROMPT_ANSWERED,
    points.OPERATION_BEFORE_COMMIT,
    points.OPERATION_COMMITTED,
    points.END_RECALLED,
    points.HELD_ASKED,
    points.HELD_RELEASED,
    points.REMINDER_BEGUN,
    points.REMINDER_TOLD,
    points.REMINDER_KEPT,
    points.UPCOMING_DECIDED,
    points.UPCOMING_KEPT,
    points.MEMORY_BEFORE_COMMIT,
    points.MEMORY_COMMITTED,
    points.FILES_FETCHED,
    points.APPROVAL_DECIDED,
    points.APPROVAL_RELEASED,
    points.QUIET_BEFORE_COMMIT,
    points.QUIET_RELEASED,
    points.CALL_NOTED,
    points.CALL_ANSWERED,
    points.CALL_KEPT,
    points.VERDICT_KEPT,
    points.CALL_TOLD,
)
"""Reached by the clock, a lease, an operator, a model's call of a tool or a file, not by messages as such."""


def _at(point: str, *details: str) -> tuple[str, ...]:
    return tuple(f"{point}@{detail}" for detail in details)


_REPORTS = (points.REPORT_CLAIMED, points.REPORT_ACKNOWLEDGED)
SENDS = ("telegram.reply", "email.reply", "telegram.react", "telegram.send", "email.send")

SWITCHBOARD = (
    points.PLAN_COMMITTED,
    points.ADMISSION_COMMITTED,
    *_at(points.NOTIFY_ANSWERED, "telegram"),
    points.DISPATCH_ANSWERED,
    points.ROUTE_DECIDED,
    points.ADMISSION_BEFORE_COMMIT,
    points.CONCLUDED,
    *_at(points.NOTIFY_OPENED, "email"),
    *_at(points.QUEUE_CLAIMED, "inbox_work"),
    points.INGEST_BEFORE_ANSWER,
    points.COMPLETION_RECORDED,
    *_at(points.NOTIFY_RECORDED, "telegram"),
    points.DISPATCH_COUNTED,
    *_at(points.QUEUE_SETTLED, "inbox_work"),
    *_at(points.NOTIFY_ANSWERED, "email"),
    *_at(points.QUEUE_HANDLED, "inbox_work"),
    *_at(points.NOTIFY_OPENED, "telegram"),
    *_at(points.NOTIFY_RECORDED, "email"),
)
MESSENGER = (
    *_at(points.PROVIDER_ANSWERED, "telegram.reply", "email.reply"),
    *_at(points.MARKED, "telegram.reply"),
    points.ADMIT_COMMITTED,
    *_at(points.PROVIDER_ANSWERED, "telegram.react", "telegram.send", "email.send"),
    points.ADMIT_BEFORE_COMMIT,
    *_at(points.MARKED, "email.reply", "telegram.react", "telegram.send", "email.send"),
    points.REPORT_ACKNOWLEDGED,
    *_at(points.RECEIPT_COMMITTED, *SENDS),
    points.REPORT_CLAIMED,
    points.ADMIT_BEFORE_ANSWER,
    *_at(points.QUEUE_CLAIMED, "messenger.delivery_work"),
    *_at(points.QUEUE_HANDLED, "messenger.delivery_work"),
    *_at(points.QUEUE_SETTLED, "messenger.delivery_work"),
)
SPECIALIST = (
    points.OUTCOME_COMMITTED,
    points.ACCEPT_COMMITTED,
    points.ANSWER_TOLD,
    None,
    points.SESSION_ENDED,
    *_at(points.QUEUE_CLAIMED, "finance.route_work"),
    points.WORK_COMPLETED,
    None,
    points.ACCEPT_BEFORE_COMMIT,
    *_at(points.QUEUE_HANDLED, "finance.route_work"),
    points.WORK_STARTED,
    None,
    points.ANSWER_KEPT,
    *_at(points.QUEUE_SETTLED, "finance.route_work"),
)
CONNECTORS = (
    *_at(points.CONNECTOR_ACCEPTED, "telegram", "email"),
    *_at(points.CONNECTOR_FETCHED, "telegram"),
    points.CHECKPOINT_WRITTEN,
    *_at(points.CONNECTOR_FETCHED, "email"),
    *_at(points.CONNECTOR_ACCEPTED, "api"),
    points.CHECKPOINT_SAVED,
    *_at(points.CONNECTOR_FETCHED, "api"),
)


@dataclass(frozen=True)
class Round:
    """Points that are armed together, on the household of `set`."""

    number: int
    points: tuple[str, ...]

    @property
    def set(self) -> int:
        return self.number // ROUNDS_PER_SET

    @property
    def slow(self) -> tuple[str, ...]:
        """Where a send stands for longer than its asker waits: only an end that was not told is reported."""
        reports = any(point in _REPORTS for point in self.points)
        return _at(points.MARKED, "telegram.reply") if reports else ()

    def __str__(self) -> str:
        return f"{self.number}-" + "+".join(self.points)


ROUNDS = tuple(
    Round(number, tuple(point for point in column if point is not None))
    for number, column in enumerate(zip_longest(MESSENGER, SWITCHBOARD, SPECIALIST, CONNECTORS))
)
