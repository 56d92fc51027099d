"""Conditions of a custom resource (KEP-1623): staged, merged, compared; times come in as arguments.

Invariant: merging what is already there changes nothing, so an idle resource is never written. `lastTransitionTime`
moves only when a condition's status does. Conditions of other writers are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from butler_resources.kinds.conditions import ConditionStatus, ConditionType, Reason

__all__ = [
    "Condition",
    "condition_of",
    "failed",
    "kstatus",
    "merge",
    "passed",
    "same_but_for_times",
    "since_of",
    "staged",
    "stamp",
    "unknown",
]

MESSAGE_MAX: Final = 1_000
"""The API allows 32768 characters; a person reads the first lines."""
Stored = Mapping[str, Any]


@dataclass(frozen=True)
class Condition:
    """One condition without its times; `terminal` marks a failure that only a person's edit ends."""

    type: str
    status: ConditionStatus
    reason: str
    message: str = ""
    terminal: bool = False


def passed(type_: str, reason: str, message: str = "") -> Condition:
    return Condition(type_, "True", reason, message)


def failed(type_: str, reason: str, message: str, *, terminal: bool = False) -> Condition:
    return Condition(type_, "False", reason, message, terminal)


def unknown(type_: str, reason: str, message: str) -> Condition:
    return Condition(type_, "Unknown", reason, message)


def staged(types: Sequence[str], reached: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return all `types` in order: those `reached`, then those blocked by the first that is not True.

    The last type is the summary: when blocked, it carries its blocker's reason and message.
    """
    known = {condition.type: condition for condition in reached}
    result: list[Condition] = []
    blocker: Condition | None = None
    for type_ in types:
        if blocker is not None:
            result.append(_blocked(type_, blocker, summary=type_ == types[-1]))
            continue
        condition = known.get(type_) or unknown(type_, Reason.PENDING, "not looked at yet")
        result.append(condition)
        if condition.status != "True":
            blocker = condition
    return tuple(result)


def _blocked(type_: str, blocker: Condition, *, summary: bool) -> Condition:
    if summary:
        return failed(type_, blocker.reason, f"{blocker.type}: {blocker.message or blocker.reason}")
    return failed(type_, Reason.BLOCKED, f"blocked by {blocker.type}")


def kstatus(stages: Sequence[Condition]) -> tuple[Condition, Condition]:
    """`Reconciling` and `Stalled` for tools that read kstatus (Helm, Flux, Argo)."""
    reconciling, stalled = ConditionType.RECONCILING, ConditionType.STALLED
    stuck = next((stage for stage in stages if stage.status != "True"), None)
    if stuck is None:
        return failed(reconciling, Reason.SETTLED, ""), failed(stalled, Reason.SETTLED, "")
    because = f"{stuck.type} is {stuck.status}: {stuck.message}".removesuffix(": ")
    if stuck.terminal:
        return failed(reconciling, stuck.reason, because), passed(stalled, stuck.reason, because)
    return passed(reconciling, stuck.reason, because), failed(stalled, Reason.SETTLED, "")


def merge(
    old: Sequence[Stored], new: Sequence[Condition], *, generation: int, now: datetime
) -> list[dict[str, Any]]:
    """Merge `new` over `old`, each with its times; conditions only in `old` are kept, after the new ones."""
    before = {str(stored.get("type")): stored for stored in old}
    merged = [_merged(before.get(condition.type), condition, generation, now) for condition in new]
    named = {condition.type for condition in new}
    return [*merged, *(dict(stored) for stored in old if stored.get("type") not in named)]


def _merged(before: Stored | None, new: Condition, generation: int, now: datetime) -> dict[str, Any]:
    moved = before is None or before.get("status") != new.status or not before.get("lastTransitionTime")
    return {
        "type": new.type,
        "status": new.status,
        "reason": new.reason,
        "message": new.message[:MESSAGE_MAX],
        "lastTransitionTime": stamp(now) if moved or before is None else before["lastTransitionTime"],
        "observedGeneration": generation,
    }


def same_but_for_times(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the statuses `old` and `new` differ in nothing but times."""
    return _without_times(old) == _without_times(new)


def _without_times(status: Mapping[str, Any]) -> dict[str, Any]:
    conditions = status.get("conditions") or []
    timeless = [
        {key: value for key, value in stored.items() if key != "lastTransitionTime"} for stored in conditions
    ]
    # Sorted by type: an operator that has just started does not know all of them yet and would only reorder them.
    return {**status, "conditions": sorted(timeless, key=lambda stored: str(stored.get("type")))}


def condition_of(status: Mapping[str, Any] | None, type_: str) -> Condition | None:
    """Return the condition of that type in a stored status."""
    for stored in (status or {}).get("conditions") or []:
        if stored.get("type") == type_:
            return Condition(
                type_, stored.get("status", "Unknown"), stored.get("reason", ""), stored.get("message", "")
            )
    return None


def since_of(status: Mapping[str, Any] | None, type_: str) -> datetime | None:
    """Return since when a stored condition has had its status."""
    for stored in (status or {}).get("conditions") or []:
        if stored.get("type") == type_ and stored.get("lastTransitionTime"):
            return datetime.fromisoformat(str(stored["lastTransitionTime"]))
    return None


def stamp(moment: datetime) -> str:
    """Format a time as Kubernetes does: RFC 3339, UTC, whole seconds."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
