"""Decide which members of a household may get a new image now, from the observed state of all of them.

A new image is tried where it does no harm: by Switchboard, then by one specialist, then by one webhook, whose old
pods serve until the new one is ready; each step waits for the one before. A connector that reads a source has one pod
at a time, so it goes last, and it waits for whoever can try the image on the node of that pod. Invariants: no such
connector gets an image with which no pod of the household is ready; a member returns at once to the image with which
it was last ready; no state is kept but what the cluster shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from butler_operator.reconcile.conditions import condition_of
from butler_operator.reconcile.plan import ChildId, child_id
from butler_operator.reconcile.resource import is_deleting, is_paused
from butler_operator.reconcile.workload import workload_of
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.names import LABEL_COMPONENT

__all__ = ["HELD", "LAST_READY", "Member", "held", "image_of", "member_of", "remembered", "waits_for"]

LAST_READY: Final = "butlers.dev/last-ready-image"
"""Deployment annotation: the image with which a pod of it was ready when the image was last replaced."""
_STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "switchboard": ("switchboard",),
    "specialist": ("switchboard", "specialist"),
    "messenger": ("switchboard", "specialist"),
}
_ALL_STEPS: Final = ("switchboard", "specialist", "webhook")
HELD: Final = ("Deployment", "ConfigMap")
"""Kinds of children that wait: the pods, and what they read."""
_BROKEN: Final = frozenset({Reason.CRASH_LOOP, Reason.IMAGE_PULL_FAILED})
_REFUSED: Final = frozenset({Reason.OWNERSHIP_CONFLICT, Reason.APPLY_FAILED})
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Member:
    """One Butler or Connector that has a Deployment; `role` is a butler's role or a connector's type."""

    name: str
    role: str
    image: str
    running: bool
    movable: bool
    """Whether a reconcile would give it the household's image: it is not paused, refused or missing a reference, and
    names no image of its own."""
    serving: bool
    broken: bool
    """Its pods exit at once or never start: there is nothing to keep."""
    ready_images: frozenset[str]
    last_ready: str = ""
    alone: bool = False
    """Its pod ends before the next one starts."""
    rolled_out: bool = False
    """All its pods are of `image`."""
    proofs: frozenset[tuple[str, str]] = frozenset()
    """Node and image of each ready pod."""

    @property
    def nodes(self) -> frozenset[str]:
        """Where it is ready."""
        return frozenset(node for node, _ in self.proofs)


def waits_for(me: Member, household: Iterable[Member], image: str) -> Member | None:
    """Return the member that must be ready with `image` before `me` gets it; None if `me` may have it now."""
    if not me.running or me.broken or image in (me.image, me.last_ready):
        return None
    others = list(household)
    for role in _STEPS.get(me.role, _ALL_STEPS):
        step = [one for one in others if one.role == role]
        first = _first((one for one in step if one.serving or role == "switchboard"), image)
        if first is not None and not _proved(step, image):
            return first if first.name != me.name else None
    if _proved(others, image):
        return _beside(me, others, image) if me.alone else None
    # Nobody is left to try it, for example because the Switchboard is paused: then one at a time.
    first = _first(others, image)
    return first if first is not None and first.name != me.name else None


def member_of(name: str, owner: Body, children: Sequence[Body]) -> Member | None:
    """Return the state of a resource; None while it has no Deployment."""
    deployment = next((body for body in children if body["kind"] == "Deployment"), None)
    if deployment is None:
        return None
    workload, image, metadata = workload_of(children), image_of(deployment), deployment["metadata"]
    ready = {pod.image for pod in workload.pods if pod.ready}
    proofs = {(pod.node, pod.image) for pod in workload.pods if pod.ready and pod.node}
    if workload.settled and workload.ready:
        # The template's image counts too: an admission webhook may give the pods their image from a mirror.
        ready.add(image)
        proofs |= {(node, image) for node, _ in proofs}
    return Member(
        name=name,
        role=(metadata.get("labels") or {}).get(LABEL_COMPONENT, ""),
        image=image,
        running=workload.wanted > 0,
        movable=_movable(owner),
        serving=workload.serves or workload.ready > 0,
        broken=not workload.serves
        and any(pod.trouble and pod.trouble[0] in _BROKEN for pod in workload.pods),
        ready_images=frozenset(ready - {""}),
        last_ready=(metadata.get("annotations") or {}).get(LAST_READY, ""),
        alone=(deployment["spec"].get("strategy") or {}).get("type") == "Recreate",
        rolled_out=workload.settled,
        proofs=frozenset(proofs),
    )


def remembered(manifest: dict[str, Any], me: Member, image: str) -> dict[str, Any]:
    """Return the Deployment's manifest with the image that `me` may always go back to."""
    replaced = me.image != image and me.image in me.ready_images
    last = me.image if replaced else me.last_ready
    if not last:
        return manifest
    metadata = manifest["metadata"]
    annotations = {**(metadata.get("annotations") or {}), LAST_READY: last}
    return {**manifest, "metadata": {**metadata, "annotations": annotations}}


def held(
    desired: Iterable[dict[str, Any]], live: Sequence[Body]
) -> tuple[list[dict[str, Any]], frozenset[ChildId]]:
    """Return a waiting member's children, and which of them stay as they are: the pods and what they read.

    The number of pods does not wait: it is applied with the pods as they are.
    """
    found = {child_id(body): body for body in live if body["kind"] in HELD}
    changed, kept = [], set()
    for manifest in desired:
        body = found.get(child_id(manifest))
        if body is None:
            changed.append(manifest)
        elif body["kind"] != "Deployment" or body["spec"].get("replicas") == manifest["spec"]["replicas"]:
            changed.append(manifest)
            kept.add(child_id(manifest))
        else:
            spec = {**manifest["spec"], "template": body["spec"]["template"]}
            changed.append({**manifest, "spec": spec})
    return changed, frozenset(kept)


def image_of(deployment: Body) -> str:
    """The image of a Deployment's process."""
    return str(deployment["spec"]["template"]["spec"]["containers"][0]["image"])


def _first(members: Iterable[Member], image: str) -> Member | None:
    """Return the member to go first, preferring one that has begun, so that no second one begins."""
    able = (one for one in members if one.running and one.movable)
    return min(able, key=lambda one: (one.image != image, one.name), default=None)


def _beside(me: Member, others: Sequence[Member], image: str) -> Member | None:
    """Return the member to try the image on a node of `me`; None where it is tried, or where nobody can try it."""
    for node in sorted(me.nodes):
        if any((node, image) in one.proofs for one in others):
            continue
        able = [one for one in others if not one.alone and node in one.nodes]
        first = _first((one for one in able if not (one.rolled_out and one.image == image)), image)
        if first is not None:
            return first
    return None


def _proved(members: Iterable[Member], image: str) -> bool:
    return any(image in one.ready_images for one in members)


def _movable(owner: Body) -> bool:
    if is_deleting(owner) or is_paused(owner) or _names_an_image(owner):
        return False
    status = owner.get("status")
    stages = (condition_of(status, type_) for type_ in (ConditionType.ACCEPTED, ConditionType.RESOLVED_REFS))
    deployed = condition_of(status, ConditionType.DEPLOYED)
    refused = deployed is not None and deployed.status == "False" and deployed.reason in _REFUSED
    return not refused and not any(stage is not None and stage.status == "False" for stage in stages)


def _names_an_image(owner: Body) -> bool:
    pod = (owner.get("spec") or {}).get("pod") or {}
    return bool(pod.get("image"))
