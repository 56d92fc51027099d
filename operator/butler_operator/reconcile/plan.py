"""Desired and observed children to actions: what to apply, what to delete, what belongs to somebody else.

Invariant: a plan over its own result is empty (an idle household causes no write), and no plan ever touches an object
that is not controlled by the resource it is for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from butler_operator.reconcile.drift import APPLIED_HASH, applied_hash, drift, with_hash
from butler_resources.kinds.names import LABEL_MANAGED_BY, MANAGED_BY
from butler_resources.render.cluster import WRITTEN_ONCE

__all__ = ["ChildId", "Plan", "child_id", "controller_of", "plan"]

Body = Mapping[str, Any]
Tolerated = Mapping["ChildId", frozenset[str]]


@dataclass(frozen=True, order=True)
class ChildId:
    """Kind and name of a child; its namespace is its owner's."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True)
class Plan:
    """`apply` in the order in which it was rendered; `foreign` and `passing` are left alone."""

    apply: tuple[dict[str, Any], ...] = ()
    delete: tuple[Body, ...] = ()
    foreign: tuple[ChildId, ...] = ()
    passing: tuple[ChildId, ...] = ()
    """Children of an earlier resource of the same name, which the garbage collector is about to delete."""

    @property
    def idle(self) -> bool:
        """Whether there is nothing to write."""
        return not self.apply and not self.delete


def plan(
    desired: Iterable[Body],
    live: Iterable[Body],
    *,
    owner: Mapping[str, str] | None,
    prunable: Collection[str],
    tolerated: Tolerated,
    kept: Collection[ChildId] = (),
) -> Plan:
    """What to do so that `live` becomes `desired`.

    `owner` is the controlling reference; None for a household's objects, which are ours by their label alone.
    `prunable` are the kinds of which an owned object that is not desired is deleted. `tolerated` has the differences
    that an apply was seen not to change, `kept` the children whose turn has not come: they stay as they are.
    """
    wanted = {child_id(manifest): manifest for manifest in desired}
    found = {child_id(body): body for body in live}
    apply: list[dict[str, Any]] = []
    foreign: list[ChildId] = []
    passing: list[ChildId] = []
    for ident, manifest in wanted.items():
        body = found.get(ident)
        if body is None:
            apply.append(with_hash(manifest))
        elif not _owned(body, owner):
            (passing if _former(body, owner) else foreign).append(ident)
        elif "deletionTimestamp" in body["metadata"]:
            passing.append(ident)
        elif ident in kept or ident.kind in WRITTEN_ONCE:
            continue
        elif _differs(manifest, body, tolerated.get(ident, frozenset())):
            apply.append(with_hash(manifest))
    delete = tuple(
        body
        for ident, body in sorted(found.items())
        if ident not in wanted and ident.kind in prunable and _owned(body, owner) and _lives(body)
    )
    return Plan(tuple(apply), delete, tuple(foreign), tuple(passing))


def child_id(body: Body) -> ChildId:
    """Which child a manifest or an object is."""
    return ChildId(body["kind"], body["metadata"]["name"])


def controller_of(body: Body) -> Mapping[str, Any] | None:
    """The owner that controls an object."""
    references = body["metadata"].get("ownerReferences") or ()
    return next((reference for reference in references if reference.get("controller")), None)


def _owned(body: Body, owner: Mapping[str, str] | None) -> bool:
    controller = controller_of(body)
    if owner is None:
        return controller is None and _is_marked(body)
    return controller is not None and controller.get("uid") == owner["uid"]


def _is_marked(body: Body) -> bool:
    """Whether a household's object says that it is ours; whoever takes the label off has not made it theirs."""
    metadata = body["metadata"]
    labelled = (metadata.get("labels") or {}).get(LABEL_MANAGED_BY) == MANAGED_BY
    return labelled or APPLIED_HASH in (metadata.get("annotations") or {})


def _former(body: Body, owner: Mapping[str, str] | None) -> bool:
    controller = controller_of(body)
    if owner is None or controller is None:
        return False
    return (controller.get("kind"), controller.get("name")) == (owner["kind"], owner["name"])


def _lives(body: Body) -> bool:
    return "deletionTimestamp" not in body["metadata"]


def _differs(manifest: Body, body: Body, tolerated: frozenset[str]) -> bool:
    annotations = body["metadata"].get("annotations") or {}
    if annotations.get(APPLIED_HASH) != applied_hash(manifest):
        return True
    return bool(drift(manifest, body) - tolerated)
