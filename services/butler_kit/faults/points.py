"""The fault points: name, where it is reached, what a crash there must not break.

PURE. Every constant is reached in the code, and everything reached is a constant here (`tests/unit/kit/faults`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["POINTS", "Point"]


@dataclass(frozen=True, slots=True)
class Point:
    """One fault point; `details` tell its occurrences apart, armed as `POINT@DETAIL`."""

    name: str
    where: str
    keeps: str
    details: tuple[str, ...] = ()


_declared: list[Point] = []


def _point(name: str, where: str, keeps: str, *details: str) -> str:
    _declared.append(Point(name, where, keeps, details))
    return name


_AGAIN: Final = "what was not accepted is read again"
_ONE_REQUEST: Final = "one message is one request"
_ONE_PLAN: Final = "a committed plan is never made again"
_ONE_BRANCH: Final = "a repeated dispatch is the same subrequest"
_ONE_OUTCOME: Final = "one outcome, one record"
_ONE_CALL: Final = "a call outside is made at most once, and told of"
_ONE_SEND: Final = "one visible send, or uncertain"
_ONE_WISH: Final = "one wish is one delivery"
_ONE_END: Final = "the end is written and told once"
_ONE_ACT: Final = "one order is one act, with its audit"
_ONE_EPISODE: Final = "a message is in one episode, and what is forgotten stays forgotten"

CONNECTOR_FETCHED: Final = _point(
    "connector.fetched", "events were taken from the source, none was submitted", _AGAIN, "channel"
)
CONNECTOR_ACCEPTED: Final = _point(
    "connector.accepted", "Switchboard accepted, the checkpoint does not say so", _ONE_REQUEST, "channel"
)
CHECKPOINT_WRITTEN: Final = _point(
    "connector.checkpoint.written", "beside the checkpoint, before it is replaced", _ONE_REQUEST
)
CHECKPOINT_SAVED: Final = _point(
    "connector.checkpoint.saved", "before the provider hears of the new position", _ONE_REQUEST
)
LEASE_TAKEN: Final = _point(
    "connector.lease.taken", "the source is this instance's, nothing of it was read", _AGAIN
)

ADMISSION_BEFORE_COMMIT: Final = _point(
    "switchboard.admission.before_commit", "a batch is about to be written", _AGAIN
)
ADMISSION_COMMITTED: Final = _point(
    "switchboard.admission.committed", "the batch is durable, nobody was answered", _ONE_REQUEST
)
INGEST_BEFORE_ANSWER: Final = _point(
    "switchboard.ingest.before_answer", "the request is queued, its connector waits", _ONE_REQUEST
)
ROUTE_DECIDED: Final = _point(
    "switchboard.route.decided", "after the verdict, before the plan is committed", "nothing was sent yet"
)
PLAN_COMMITTED: Final = _point("switchboard.plan.committed", "before anything is dispatched", _ONE_PLAN)
DISPATCH_COUNTED: Final = _point(
    "switchboard.dispatch.counted", "the try is counted, the target is not called", _ONE_BRANCH, "target"
)
DISPATCH_ANSWERED: Final = _point(
    "switchboard.dispatch.answered", "the target answered, nothing of it is recorded", _ONE_BRANCH, "target"
)
HELD_ASKED: Final = _point(
    "switchboard.held.asked",
    "Messenger has the question, or the word, and nothing of it is recorded",
    _ONE_WISH,
)
HELD_RELEASED: Final = _point(
    "switchboard.held.released", "what was held is the plan's, nobody got it", _ONE_BRANCH
)
END_RECALLED: Final = _point(
    "switchboard.end.recalled",
    "the butlers of a request that an operator ended were told, Messenger and its sender were not",
    _ONE_END,
)
COMPLETION_RECORDED: Final = _point(
    "switchboard.completion.recorded", "a branch has ended, its request was not woken", _ONE_END, "target"
)
CONCLUDED: Final = _point("switchboard.concluded", "the end is written, nobody was told", _ONE_END)
NOTIFY_OPENED: Final = _point(
    "switchboard.notify.opened", "the wish is noted, Messenger was not called", _ONE_WISH, "channel"
)
NOTIFY_ANSWERED: Final = _point(
    "switchboard.notify.answered", "Messenger answered, nothing of it is recorded", _ONE_WISH, "channel"
)
NOTIFY_RECORDED: Final = _point(
    "switchboard.notify.recorded", "the butler that wished was not answered", _ONE_WISH, "channel"
)
SCHEDULE_CLAIMED: Final = _point(
    "switchboard.schedule.claimed",
    "a run is claimed and not done",
    "a due time runs at most once",
    "schedule",
)
DIGEST_GATHERED: Final = _point(
    "switchboard.digest.gathered", "the butlers have said what is on today, nobody was told", _ONE_WISH
)
DIGEST_TOLD: Final = _point(
    "switchboard.digest.told", "Messenger has the digest, its run does not say so", _ONE_WISH
)
PROMPT_ANSWERED: Final = _point(
    "switchboard.prompt.answered", "a session by the clock has ended, nobody was told", _ONE_WISH
)

QUEUE_CLAIMED: Final = _point(
    "queue.claimed", "a worker holds a row and has done nothing", "the row is worked on again", "table"
)
QUEUE_HANDLED: Final = _point(
    "queue.handled", "the handler has ended, its decision is not written", "nothing is done twice", "table"
)
QUEUE_SETTLED: Final = _point(
    "queue.settled", "the decision is written, the thread's next was not taken", "the thread goes on", "table"
)

ACCEPT_BEFORE_COMMIT: Final = _point(
    "specialist.accept.before_commit", "just before the statement that takes the work", _ONE_BRANCH
)
ACCEPT_COMMITTED: Final = _point(
    "specialist.accept.committed", "the work is durable, Switchboard was not answered", _ONE_BRANCH
)
WORK_STARTED: Final = _point(
    "specialist.work.started", "the start was told, the session has not begun", _ONE_OUTCOME
)
CALL_NOTED: Final = _point(
    "specialist.call.noted", "that a tool outside is called is durable, it was not called", _ONE_CALL
)
CALL_ANSWERED: Final = _point(
    "specialist.call.answered", "the tool outside has done it, nothing of that is kept", _ONE_CALL
)
CALL_KEPT: Final = _point(
    "specialist.call.kept", "what came of the call is durable, the session goes on", _ONE_CALL
)
VERDICT_KEPT: Final = _point(
    "specialist.call.verdict_kept", "what was decided of a call is durable, it was not made", _ONE_CALL
)
CALL_TOLD: Final = _point(
    "specialist.call.told", "notify was answered, the call's row does not say so", _ONE_WISH
)
SESSION_ENDED: Final = _point(
    "specialist.session.ended", "after the session, before its outcome is committed", _ONE_OUTCOME
)
OUTCOME_COMMITTED: Final = _point(
    "specialist.outcome.committed", "the outcome is durable, the answer was not told", _ONE_OUTCOME
)
ANSWER_TOLD: Final = _point("specialist.answer.told", "notify was answered, nothing of it is kept", _ONE_WISH)
ANSWER_KEPT: Final = _point("specialist.answer.kept", "before route.complete", _ONE_END)
WORK_COMPLETED: Final = _point(
    "specialist.work.completed", "route.complete was acknowledged, the row is still there", _ONE_END
)
REMINDER_BEGUN: Final = _point(
    "specialist.reminder.begun", "which occurrences are told is durable, nobody was told", _ONE_WISH
)
REMINDER_TOLD: Final = _point(
    "specialist.reminder.told", "notify was answered, the reminder does not say so", _ONE_WISH
)
REMINDER_KEPT: Final = _point(
    "specialist.reminder.kept", "the next occurrence is durable, the lease is still held", _ONE_WISH
)
UPCOMING_DECIDED: Final = _point(
    "specialist.upcoming.decided", "what records ask for is known, no reminder of it is written", _ONE_WISH
)
UPCOMING_KEPT: Final = _point(
    "specialist.upcoming.kept",
    "new reminders of records are durable, those that are over still wait",
    _ONE_WISH,
)

MEMORY_BEFORE_COMMIT: Final = _point(
    "specialist.memory.before_commit",
    "in the transaction that folds messages, merges what is known, or erases what was spoken of",
    _ONE_EPISODE,
    "deed",
)
MEMORY_COMMITTED: Final = _point(
    "specialist.memory.committed",
    "a batch is folded, one person's statements are merged, or their episodes erased: the rest is not",
    _ONE_EPISODE,
    "deed",
)

APPROVAL_DECIDED: Final = _point(
    "messenger.approval.decided", "somebody approved of a delivery, it is not queued", _ONE_SEND
)
APPROVAL_RELEASED: Final = _point(
    "messenger.approval.released", "an approved delivery is queued, no worker was told", _ONE_SEND
)
QUIET_BEFORE_COMMIT: Final = _point(
    "messenger.quiet.before_commit",
    "in the transaction that queues what waited, alone or as one message",
    _ONE_SEND,
)
QUIET_RELEASED: Final = _point(
    "messenger.quiet.released",
    "what waited for the end of quiet hours is queued, no worker was told",
    _ONE_SEND,
)
ADMIT_BEFORE_COMMIT: Final = _point(
    "messenger.admit.before_commit", "in the transaction that takes a delivery", _ONE_WISH
)
ADMIT_COMMITTED: Final = _point(
    "messenger.admit.committed", "the delivery is durable, no worker knows of it", _ONE_WISH
)
ADMIT_BEFORE_ANSWER: Final = _point(
    "messenger.admit.before_answer", "the delivery was made or put off, Switchboard waits", _ONE_WISH
)
FILES_FETCHED: Final = _point(
    "messenger.files.fetched", "its files are here, nothing is marked", _ONE_SEND, "channel", "intent"
)
MARKED: Final = _point(
    "messenger.marked", "the marker is committed, the provider is not called", _ONE_SEND, "channel", "intent"
)
PROVIDER_ANSWERED: Final = _point(
    "messenger.provider.answered", "the provider answered, no receipt is kept", _ONE_SEND, "channel", "intent"
)
RECEIPT_COMMITTED: Final = _point(
    "messenger.receipt.committed", "the end is durable, nobody heard of it", _ONE_SEND, "channel", "intent"
)
REPORT_CLAIMED: Final = _point("messenger.report.claimed", "a report is taken and not sent", _ONE_END)
REPORT_ACKNOWLEDGED: Final = _point(
    "messenger.report.acknowledged", "Switchboard knows the end, the outbox does not say so", _ONE_END
)

OPERATION_BEFORE_COMMIT: Final = _point(
    "operation.before_commit",
    "an operator's action is done, in a transaction that is open",
    _ONE_ACT,
    "action",
)
OPERATION_COMMITTED: Final = _point(
    "operation.committed", "an operator's action is durable, who asked was not answered", _ONE_ACT, "action"
)

POINTS: Final = tuple(_declared)
"""All of them, in the order of a message's way."""
