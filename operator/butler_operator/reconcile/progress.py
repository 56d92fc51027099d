"""`Progressing`: whether pods are as specified or getting there, and what follows for `Reconciling` and `Stalled`.

It covers a rollout only; what happens to pods later belongs to `Ready`. Invariant: the deadline is the Deployment's
own, so an operator that starts in the middle of a rollout knows as much as the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from butler_operator.reconcile.conditions import Condition, failed, passed
from butler_operator.reconcile.workload import Workload, worst
from butler_resources.kinds.conditions import ConditionType, Reason

__all__ = ["progress_of", "with_progress"]

_HOPELESS: Final = frozenset({Reason.IMAGE_PULL_FAILED, Reason.CRASH_LOOP, Reason.DATABASE_UNAVAILABLE})
Body = Mapping[str, Any]


def progress_of(children: Iterable[Body], workload: Workload, *, waits: str = "") -> Condition | None:
    """Return a rollout's state; `waits` is the message of a waiting one. None without a Deployment."""
    type_ = ConditionType.PROGRESSING
    deployment = next((body for body in children if body["kind"] == "Deployment"), None)
    if deployment is None:
        return None
    if waits:
        return passed(type_, Reason.WAITING_FOR_CANARY, waits)
    said = _progressing(deployment)
    if workload.wanted == 0 or _complete(workload, said):
        return passed(type_, Reason.ROLLED_OUT, "the pods are as asked for")
    image = deployment["spec"]["template"]["spec"]["containers"][0]["image"]
    new = (pod.trouble for pod in workload.pods if pod.image in ("", image))
    trouble = worst((*new, workload.refused))
    overdue = said.get("reason") == "ProgressDeadlineExceeded"
    if trouble is not None and trouble[0] in _HOPELESS:
        return failed(type_, *trouble, terminal=overdue)
    if overdue:
        limit = deployment["spec"].get("progressDeadlineSeconds", 600)
        because = f": {trouble[1]}" if trouble is not None else ""
        text = f"no new pod has become ready within {limit} s{because}"
        return failed(type_, Reason.PROGRESS_DEADLINE_EXCEEDED, text, terminal=True)
    return passed(type_, Reason.ROLLING_OUT, "a roll-out is on its way")


def with_progress(
    stages: Sequence[Condition], kstatus: tuple[Condition, Condition], progress: Condition | None
) -> tuple[Condition, Condition]:
    """Return `Reconciling` and `Stalled`, aware of a rollout even though the old pods are ready."""
    written = all(stage.status == "True" for stage in stages if stage.type != ConditionType.READY)
    if progress is None or not written or progress.reason == Reason.ROLLED_OUT:
        return kstatus
    reconciling, stalled = kstatus
    if progress.terminal:
        words = (progress.reason, progress.message)
        return failed(reconciling.type, *words), passed(stalled.type, *words)
    if reconciling.status == "True":
        return kstatus
    return passed(reconciling.type, progress.reason, progress.message), stalled


def _complete(workload: Workload, said: Body) -> bool:
    """Whether the rollout is complete; it stays so if a pod fails later or more are wanted."""
    return workload.settled and (
        said.get("reason") == "NewReplicaSetAvailable" or workload.available >= workload.wanted
    )


def _progressing(deployment: Body) -> Body:
    """Return the Deployment's own condition, once it covers the current generation."""
    status = deployment.get("status") or {}
    if status.get("observedGeneration", 0) < deployment["metadata"].get("generation", 0):
        return {}
    found: Iterable[Body] = status.get("conditions") or ()
    return next((one for one in found if one.get("type") == "Progressing"), {})
