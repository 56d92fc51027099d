"""Turn desired and observed children into actions: what to adopt, apply and delete, and what is foreign.

Invariants: a plan over its own result is empty (an idle household causes no write). No plan touches somebody else's
object, and one such object keeps it from doing anything: there is no half deployment, and no pod that mounts what
somebody else made. No volume is deleted: it goes with its owner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from butler_operator.reconcile.drift import APPLIED_HASH, applied_hash, drift, with_hash
from butler_operator.reconcile.ownership import Whose, names_owner_otherwise, whose
from butler_resources.render.cluster import WRITTEN_ONCE

__all__ = ["ChildId", "Plan", "child_id", "plan"]

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
    """`adopt` comes before `apply`, which is in rendering order; the rest is left alone."""

    adopt: tuple[tuple[Body, Body], ...] = ()
    """Orphans, and write-once objects that name their owner in a former API version.

    Each comes with the manifest that names its owner.
    """
    apply: tuple[dict[str, Any], ...] = ()
    delete: tuple[Body, ...] = ()
    foreign: tuple[ChildId, ...] = ()
    passing: tuple[ChildId, ...] = ()
    """Children being deleted, or about to be because an earlier resource of the same name had them."""

    @property
    def idle(self) -> bool:
        """Whether there is nothing to write."""
        return not self.adopt and not self.apply and not self.delete


def plan(
    desired: Iterable[Body],
    live: Iterable[Body],
    *,
    owner: Mapping[str, str] | None,
    prunable: Collection[str],
    tolerated: Tolerated,
    kept: Collection[ChildId] = (),
) -> Plan:
    """Return the actions that turn `live` into `desired`.

    `live` are objects labelled as the resource's or named like a child. `owner` is the controlling reference; None
    for a household's objects, which are ours by their mark. `prunable` are the kinds whose undesired objects of ours
    are deleted. `tolerated` has the differences that an apply was seen not to change, `kept` the children whose turn
    has not come: they stay as they are.
    """
    wanted = {child_id(manifest): manifest for manifest in desired}
    found = {child_id(body): body for body in live}
    of = {ident: whose(found[ident], owner, like=wanted[ident]) for ident in wanted if ident in found}
    ending = [ident for ident in of if not _lives(found[ident])]
    former = [ident for ident in of if of[ident] is Whose.FORMER]
    foreign = tuple(ident for ident in of if of[ident] is Whose.FOREIGN)
    passing = tuple(ident for ident in of if ident in former or (ident in ending and ident not in foreign))
    if foreign or former:
        return Plan(foreign=foreign, passing=passing)
    told_anew = [
        ident
        for ident in of
        if ident not in ending and _is_told_owner(of[ident], found[ident], wanted[ident])
    ]
    stays = {*ending, *kept}
    left = [body for ident, body in sorted(found.items()) if ident not in wanted]
    return Plan(
        adopt=tuple((found[ident], wanted[ident]) for ident in told_anew),
        apply=tuple(
            with_hash(manifest)
            for ident, manifest in wanted.items()
            if ident not in stays and _differs(manifest, found.get(ident), tolerated.get(ident, frozenset()))
        ),
        delete=tuple(body for body in left if body["kind"] in prunable and _is_left_over(body, owner)),
        passing=passing,
    )


def child_id(body: Body) -> ChildId:
    """Return the child id of a manifest or an object."""
    return ChildId(body["kind"], body["metadata"]["name"])


def _is_told_owner(of: Whose, body: Body, manifest: Body) -> bool:
    """Whether only the owner is written on an object; an applied object has it in its manifest."""
    once = manifest["kind"] in WRITTEN_ONCE
    return of is Whose.ORPHAN or (of is Whose.OURS and once and names_owner_otherwise(body, manifest))


def _is_left_over(body: Body, owner: Mapping[str, str] | None) -> bool:
    """Whether an undesired object is one that we made, and not a volume with its contents."""
    mine = whose(body, owner) in (Whose.OURS, Whose.ORPHAN) and _hash_of(body) is not None
    return mine and body["kind"] not in WRITTEN_ONCE and _lives(body)


def _lives(body: Body) -> bool:
    return "deletionTimestamp" not in body["metadata"]


def _differs(manifest: Body, body: Body | None, tolerated: frozenset[str]) -> bool:
    if body is None:
        return True
    if manifest["kind"] in WRITTEN_ONCE:
        return False
    if _hash_of(body) != applied_hash(manifest):
        return True
    return bool(drift(manifest, body) - tolerated)


def _hash_of(body: Body) -> str | None:
    found: str | None = (body["metadata"].get("annotations") or {}).get(APPLIED_HASH)
    return found
