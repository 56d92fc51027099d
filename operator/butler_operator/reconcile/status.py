"""A resource's status from what was observed, and the smallest patch that writes it; no patch when nothing changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from butler_operator.reconcile.conditions import (
    Condition,
    failed,
    kstatus,
    merge,
    passed,
    same_but_for_times,
    staged,
)
from butler_operator.reconcile.progress import with_progress
from butler_resources.kinds.conditions import ConditionType, Reason

__all__ = ["ACCEPTED", "STAGES", "conditions_of", "patch_of", "paused_conditions", "rejected", "unavailable"]

STAGES: Final = (
    ConditionType.ACCEPTED,
    ConditionType.RESOLVED_REFS,
    ConditionType.DEPLOYED,
    ConditionType.READY,
)
ACCEPTED: Final = passed(ConditionType.ACCEPTED, Reason.ACCEPTED, "the manifest is valid")


def rejected(problem: str) -> Condition:
    """`Accepted` of a manifest that breaks a rule: only an edit ends it."""
    return failed(ConditionType.ACCEPTED, Reason.INVALID_SPEC, problem, terminal=True)


def unavailable(problem: str) -> Condition:
    """`Accepted` of a valid manifest that names a missing runtime family and no fallback (D28)."""
    return failed(ConditionType.ACCEPTED, Reason.RUNTIME_UNAVAILABLE, problem, terminal=True)


def conditions_of(
    reached: Sequence[Condition], *, progress: Condition | None = None, more: Sequence[Condition] = ()
) -> tuple[Condition, ...]:
    """Return all conditions in order: the stages, kstatus' two, `progress`, then `more`."""
    stages = staged(STAGES, reached)
    reconciling, stalled = with_progress(stages, kstatus(stages), progress)
    told = () if progress is None else (progress,)
    return (*stages, reconciling, stalled, *told, *more)


def paused_conditions() -> tuple[Condition, ...]:
    """Return the conditions that the pause annotation changes; everything else stays as last seen."""
    text = "the annotation butlers.dev/paused keeps the operator away"
    return (failed(ConditionType.RECONCILING, Reason.PAUSED, text),)


def patch_of(
    old: Mapping[str, Any] | None,
    fields: Mapping[str, Any],
    conditions: Sequence[Condition],
    *,
    generation: int,
    now: datetime,
    void: Collection[str] = (),
) -> dict[str, Any] | None:
    """Return the merge patch from the status `old` to `fields` and `conditions`; None when nothing would change.

    A field that is None is removed; one that is not named stays, as does a condition unless its type is in `void`.
    """
    before = dict(old or {})
    stored = [one for one in before.get("conditions") or [] if one.get("type") not in void]
    conditions_now = merge(stored, conditions, generation=generation, now=now)
    after = {**before, **fields, "conditions": conditions_now}
    if same_but_for_times(_present(before), _present(after)):
        return None
    return {key: _change(before.get(key), value) for key, value in after.items() if value != before.get(key)}


def _change(before: Any, after: Any) -> Any:
    """Return the merge patch (RFC 7396) between two values; removed keys are named, else they would stay."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return after
    gone = dict.fromkeys(before.keys() - after.keys())
    return {**gone, **{key: _change(before.get(key), value) for key, value in after.items()}}


def _present(status: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in status.items() if value is not None}
