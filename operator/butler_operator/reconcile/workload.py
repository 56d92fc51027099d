"""The state of a resource's pods: for `Ready`, for Switchboard (D30), and from provisioning.

Invariant: evidence is true while any pod is ready, so a rollout of our own (maxUnavailable 0) never makes a butler
stale; a crash loop counts only when no other pod serves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from butler_operator.reconcile.conditions import Condition, failed, passed
from butler_resources.kinds.conditions import ConditionType, Reason

__all__ = ["PodFacts", "Workload", "pods_of", "ready_condition", "role_isolation", "workload_of", "worst"]

Body = Mapping[str, Any]
PROVISION: Final = "provision"
CRASH_LOOP_ENDS: Final = 3
"""Quick exits that make a loop, as under `butlers up`; one or two are an accident."""
_PULL_REASONS: Final = frozenset(
    {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}
)
_CONFIG_REASONS: Final = frozenset(
    {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}
)
_BACK_OFF: Final = re.compile(r'^Back-off pulling image "[^"]*": ErrImagePull: ')
"""Between two attempts the kubelet prefixes the last error with this; it is the same trouble."""
_SAID_MAX: Final = 300
_OPEN: Final = (
    "; the database was not empty before, so every role of its server may still connect to it: if it is the "
    "household's alone, REVOKE ALL ON DATABASE … FROM PUBLIC"
)


@dataclass(frozen=True)
class PodFacts:
    """The relevant facts of one pod; `trouble` is the first thing that keeps it from being ready."""

    name: str
    ready: bool
    restarts: int
    image: str = ""
    node: str = ""
    """Empty until it is scheduled."""
    trouble: tuple[Reason, str] | None = None
    provisioned: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Workload:
    """A Deployment and its pods; `known` is False before the Deployment was seen."""

    known: bool
    wanted: int
    existing: int
    ready: int
    available: int
    settled: bool
    pods: tuple[PodFacts, ...] = ()
    refused: tuple[Reason, str] | None = None
    """Why the cluster creates no pod at all: a quota, a policy."""

    @property
    def serves(self) -> bool:
        return any(pod.ready for pod in self.pods)

    @property
    def troubled(self) -> bool:
        """Whether anything but its own check keeps a pod from being ready."""
        return self.refused is not None or any(pod.trouble is not None for pod in self.pods)

    @property
    def restarts(self) -> int:
        """The highest restart count of any living pod; a sum would fall when a pod is replaced."""
        return max((pod.restarts for pod in self.pods), default=0)

    @property
    def crash_loop(self) -> bool:
        return not self.serves and any(
            pod.trouble and pod.trouble[0] is Reason.CRASH_LOOP for pod in self.pods
        )


def workload_of(children: Iterable[Body]) -> Workload:
    """Return the workload among a resource's children and pods."""
    bodies = list(children)
    deployment = next((body for body in bodies if body["kind"] == "Deployment"), None)
    pods = pods_of(bodies)
    if deployment is None:
        return Workload(False, 0, 0, 0, 0, settled=False, pods=pods)
    wanted = int(deployment["spec"].get("replicas", 1))
    status = deployment.get("status") or {}
    current = status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 0)
    updated, existing = status.get("updatedReplicas", 0), status.get("replicas", 0)
    return Workload(
        known=True,
        wanted=wanted,
        existing=existing,
        ready=status.get("readyReplicas", 0),
        available=status.get("availableReplicas", 0),
        settled=current and updated >= wanted and existing <= wanted,
        pods=pods,
        refused=_refused(status) if current else None,
    )


def _refused(status: Body) -> tuple[Reason, str] | None:
    found: Iterable[Body] = status.get("conditions") or ()
    said = next((one for one in found if one.get("type") == "ReplicaFailure"), None)
    if said is None or said.get("status") != "True":
        return None
    return Reason.PODS_NOT_READY, f"no pod is made: {said.get('message', '')}"[:_SAID_MAX]


def pods_of(children: Iterable[Body]) -> tuple[PodFacts, ...]:
    """Return the living pods among a resource's children."""
    return tuple(
        _pod(body)
        for body in children
        if body["kind"] == "Pod"
        and "deletionTimestamp" not in body["metadata"]
        and (body.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
    )


def ready_condition(workload: Workload, *, suspended: bool) -> Condition:
    """Return `Ready` from the state of the pods; a workload switched off on purpose is as it should be."""
    type_ = ConditionType.READY
    if suspended:
        return passed(type_, Reason.SUSPENDED, "spec.suspend is true: nothing runs, as asked")
    if not workload.known:
        return failed(type_, Reason.APPLYING, "the Deployment is being made")
    if workload.wanted == 0:
        return passed(type_, Reason.SCALED_TO_ZERO, "spec.replicas is 0: nothing runs, as asked")
    if workload.available >= workload.wanted:
        return passed(type_, Reason.READY, _counted(workload.available, workload.wanted))
    trouble = worst((*(pod.trouble for pod in workload.pods), workload.refused))
    if trouble is not None:
        return failed(type_, *trouble)
    return failed(type_, Reason.PODS_NOT_READY, _counted(workload.available, workload.wanted))


_WORST_FIRST: Final[Sequence[Reason]] = (
    Reason.DATABASE_UNAVAILABLE,
    Reason.CRASH_LOOP,
    Reason.IMAGE_PULL_FAILED,
    Reason.PODS_NOT_READY,
)


def worst(troubles: Iterable[tuple[Reason, str] | None]) -> tuple[Reason, str] | None:
    """Return the most telling trouble."""
    return min(filter(None, troubles), key=lambda trouble: _WORST_FIRST.index(trouble[0]), default=None)


def role_isolation(workload: Workload) -> Condition | None:
    """Return provisioning's report on the butler's database role; None before any pod was provisioned."""
    said = next((pod.provisioned for pod in workload.pods if pod.provisioned is not None), None)
    isolated = said.get("role_isolation") if said is not None else None
    if not isinstance(isolated, bool):
        return None
    type_ = ConditionType.ROLE_ISOLATION
    if isolated:
        text = "the butler has a role and a schema of its own"
        return passed(type_, Reason.OWN_ROLE, text + (_OPEN if said and said.get("open_to_all") else ""))
    return failed(type_, Reason.SHARED_ROLE, "the database user may not create roles: all butlers share one")


def _counted(available: int, wanted: int) -> str:
    return f"{available} of {wanted} pod{'s' if wanted != 1 else ''} available"


def _pod(body: Body) -> PodFacts:
    status = body.get("status") or {}
    conditions = {entry.get("type"): entry for entry in status.get("conditions") or []}
    ready = conditions.get("Ready", {}).get("status") == "True"
    containers = status.get("containerStatuses") or []
    inits = status.get("initContainerStatuses") or []
    troubles = () if ready else _troubles(conditions, inits, containers)
    spec = body.get("spec") or {}
    return PodFacts(
        name=body["metadata"]["name"],
        ready=ready,
        restarts=sum(int(entry.get("restartCount", 0)) for entry in containers),
        image=next((str(one.get("image")) for one in spec.get("containers") or ()), ""),
        node=str(spec.get("nodeName") or ""),
        trouble=next(iter(troubles), None),
        provisioned=_provisioned(inits),
    )


def _troubles(
    conditions: Mapping[str, Any], inits: Iterable[Body], containers: Iterable[Body]
) -> Iterator[tuple[Reason, str]]:
    scheduled = conditions.get("PodScheduled", {})
    if scheduled.get("status") == "False":
        yield Reason.PODS_NOT_READY, f"not scheduled: {scheduled.get('message', '')}"[:_SAID_MAX]
    unready_since = str(conditions.get("Ready", {}).get("lastTransitionTime") or "")
    for entry in (*inits, *containers):
        trouble = _of_container(entry, unready_since)
        if trouble is not None:
            yield trouble


def _of_container(entry: Body, unready_since: str) -> tuple[Reason, str] | None:
    name, waiting = entry.get("name", ""), (entry.get("state") or {}).get("waiting") or {}
    reason = waiting.get("reason", "")
    if reason in _PULL_REASONS:
        said = _BACK_OFF.sub("", waiting.get("message") or reason)
        return Reason.IMAGE_PULL_FAILED, f"{entry.get('image', '')}: {said}"[:_SAID_MAX]
    if reason in _CONFIG_REASONS:
        return Reason.PODS_NOT_READY, f"{name}: {waiting.get('message', reason)}"[:_SAID_MAX]
    ended = _last_end(entry)
    if ended is None:
        return None
    unprepared = name == PROVISION and int(ended.get("exitCode", 0)) != 0
    if unprepared and (words := _provisioning_words(ended)) is not None:
        return Reason.DATABASE_UNAVAILABLE, words
    if not unprepared and reason != "CrashLoopBackOff" and not _is_between_ends(entry, unready_since):
        return None
    times = int(entry.get("restartCount", 0)) + 1
    if times < CRASH_LOOP_ENDS:
        return Reason.PODS_NOT_READY, f"{name} ended {_words(ended)}, and is started again"
    return Reason.CRASH_LOOP, f"{name} ended {times} times, last {_words(ended)}"


def _is_between_ends(entry: Body, unready_since: str) -> bool:
    """Whether a container that ended is running only briefly: it has not been ready since this start."""
    started = ((entry.get("state") or {}).get("running") or {}).get("startedAt")
    return bool(started and unready_since and str(started) >= unready_since)


def _last_end(entry: Body) -> Mapping[str, Any] | None:
    for state in ("state", "lastState"):
        ended = (entry.get(state) or {}).get("terminated")
        if isinstance(ended, Mapping):
            return ended
    return None


def _words(ended: Mapping[str, Any]) -> str:
    lines = str(ended.get("message") or ended.get("reason") or "").strip().splitlines()
    last = f": {lines[-1]}" if lines else ""
    return f"with status {ended.get('exitCode')}{last}"[:_SAID_MAX]


def _provisioning_words(ended: Mapping[str, Any]) -> str | None:
    """Return why the database was not prepared; None where the step has not said so: it crashed before it could."""
    said = _json_object(ended.get("message")) or {}
    error = said.get("error")
    return f"the database was not prepared: {error}"[:_SAID_MAX] if error else None


def _provisioned(inits: Iterable[Body]) -> Mapping[str, Any] | None:
    for entry in inits:
        ended = _last_end(entry) if entry.get("name") == PROVISION else None
        if ended is not None and ended.get("exitCode") == 0:
            return _json_object(ended.get("message"))
    return None


def _json_object(text: Any) -> Mapping[str, Any] | None:
    try:
        document = json.loads(text or "")
    except (TypeError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None
