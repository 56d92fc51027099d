"""Which transitions of a status are worth an event: a condition that people wait for changed status or reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from butler_operator.reconcile.conditions import Condition, condition_of
from butler_operator.reconcile.source import THEIR_WORD
from butler_resources.kinds.conditions import ConditionType, Reason

__all__ = ["Notice", "notices"]

_TOLD: Final = (
    ConditionType.ACCEPTED,
    ConditionType.RESOLVED_REFS,
    ConditionType.DEPLOYED,
    ConditionType.READY,
    ConditionType.PROGRESSING,
    ConditionType.ELIGIBLE,
    ConditionType.ONLINE,
    *THEIR_WORD,
    ConditionType.ROLE_ISOLATION,
    ConditionType.ROLLUPS_CURRENT,
    ConditionType.SENDERS_PROVEN,
    ConditionType.STORAGE_CURRENT,
)
_STAGES: Final = (ConditionType.ACCEPTED, ConditionType.RESOLVED_REFS, ConditionType.DEPLOYED)
"""While one of these, or of `THEIR_WORD`, is not True, `Ready` only repeats it."""
_ROLLING: Final = frozenset({Reason.ROLLING_OUT, Reason.WAITING_FOR_CANARY})
_ON_THE_WAY: Final = _ROLLING | {
    Reason.BLOCKED,
    Reason.PENDING,
    Reason.APPLYING,
    Reason.PODS_NOT_READY,
    Reason.GROWING,
}
"""Reasons of a resource still being made: not news, and reported once it is settled."""
_SWITCHED_OFF: Final = frozenset({Reason.SUSPENDED, Reason.SCALED_TO_ZERO})
"""Ready because nothing is wanted; reported if something ran before."""
_QUIET_FALSE: Final = frozenset({Reason.NOT_DECLARED, Reason.NEVER_SEEN})
"""False as requested or expected; reported if it was True before."""
_OTHERS_WORD: Final = (ConditionType.ELIGIBLE, ConditionType.ONLINE)
"""Everything begins as absent; only the loss of what was there is news."""
_QUIET_TRUE: Final = (
    ConditionType.PROGRESSING,
    ConditionType.ACCEPTED,
    ConditionType.RESOLVED_REFS,
    *THEIR_WORD,
    ConditionType.ROLE_ISOLATION,
    ConditionType.ROLLUPS_CURRENT,
    ConditionType.SENDERS_PROVEN,
    ConditionType.STORAGE_CURRENT,
)
"""True is expected; reported only if it was False before."""


@dataclass(frozen=True)
class Notice:
    """The content of an event: CamelCase reason, what the operator did (`action`), and text for a person."""

    type: Literal["Normal", "Warning"]
    reason: str
    note: str
    action: str = "Reconcile"


def notices(old: Mapping[str, Any] | None, new: Sequence[Condition]) -> tuple[Notice, ...]:
    """Return the events of going from the stored status `old` to `new`."""
    causes = [one for one in new if one.type in (*_STAGES, *THEIR_WORD) and one.status != "True"]
    told_as = {one.reason for one in causes}
    repeats = any(one.type == ConditionType.READY and one.reason in told_as for one in new)
    unsaid = _repeating(new) | ({ConditionType.READY} if repeats else set())
    told = (
        _notice(condition_of(old, condition.type), condition)
        for condition in new
        if condition.type not in unsaid
    )
    return tuple(notice for notice in told if notice is not None)


def _repeating(new: Sequence[Condition]) -> set[str]:
    """Return the types that another condition covers: replaced pods, or trouble that leaves none ready."""
    by_type = {condition.type: condition for condition in new}
    ready, progress = by_type.get(ConditionType.READY), by_type.get(ConditionType.PROGRESSING)
    if ready is None or progress is None:
        return set()
    if ready.reason == Reason.PODS_NOT_READY and progress.reason in _ROLLING:
        return {ConditionType.READY}
    return {ConditionType.PROGRESSING} if ready.reason == progress.reason else set()


def _notice(before: Condition | None, after: Condition) -> Notice | None:
    if after.type not in _TOLD or after.status == "Unknown":
        return None
    was_good = before is not None and before.status == "True" and before.reason not in _SWITCHED_OFF
    if after.reason in _ON_THE_WAY and not (was_good and after.reason == Reason.PODS_NOT_READY):
        return None
    if before is not None and (before.status, before.reason) == (after.status, after.reason):
        return None
    if after.reason in _SWITCHED_OFF:
        return Notice("Normal", after.reason, _note(after)) if was_good else None
    if after.status == "True":
        expected = before is None or before.status == "Unknown" or before.reason in _ON_THE_WAY
        if after.type in _QUIET_TRUE and expected:
            return None
        return Notice("Normal", after.reason, _note(after))
    if after.reason in _QUIET_FALSE:
        return Notice("Normal", after.reason, _note(after)) if was_good else None
    if after.type in _OTHERS_WORD and not was_good and after.reason != Reason.QUARANTINED:
        return None
    return Notice("Warning", after.reason, _note(after))


def _note(condition: Condition) -> str:
    return f"{condition.type}: {condition.message or condition.reason}"
