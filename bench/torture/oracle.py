"""What must hold at the end: a resource's children are what the pure builders make of it, and none was recreated.

The builders are the operator's own (`Rules.render`, `remembered`, `applied_hash`), without its process's memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from bench.operator.audit import Call
from butler_operator.cluster.paths import CHILD_KINDS
from butler_operator.reconcile.butler import ButlerRules
from butler_operator.reconcile.connector import ConnectorRules
from butler_operator.reconcile.drift import APPLIED_HASH, applied_hash
from butler_operator.reconcile.ownership import controller_of
from butler_operator.reconcile.plan import ChildId, child_id
from butler_operator.reconcile.references import facts_of, inputs_of
from butler_operator.reconcile.resource import owner_of
from butler_operator.reconcile.rollout import image_of, member_of, remembered
from butler_resources.render.cluster import Place, references

__all__ = ["desired_of", "differences", "replaced", "unneeded"]

Body = dict[str, Any]
_PLURALS: Final = {kind.plural: kind.kind for kind in CHILD_KINDS}


def desired_of(body: Body, place: Place, secrets: Mapping[str, Body], live: Sequence[Body]) -> list[Body]:
    """Return the children that a Butler or Connector should have; `secrets` by name."""
    rules: Any = ButlerRules() if body["kind"] == "Butler" else ConnectorRules()
    resource = rules.parse(body)
    contacts = rules.contacts(resource)
    refs = [ref for ref in references(resource, place) if ref != contacts]
    facts = {ref.name: facts_of(secrets.get(ref.name)) for ref in refs}
    made = rules.render(resource, place, owner=owner_of(body), inputs=inputs_of(refs, facts))
    me = member_of(body["metadata"]["name"], body, live)
    return [
        remembered(manifest, me, image_of(manifest)) if manifest["kind"] == "Deployment" and me else manifest
        for manifest in made
    ]


def differences(desired: Iterable[Body], live: Iterable[Body], *, uid: str) -> list[str]:
    """Return how `live` differs from what is desired, for the resource of `uid`; empty if it does not."""
    wanted = {child_id(manifest): applied_hash(manifest) for manifest in desired}
    mine = {child_id(body): body for body in live if (controller_of(body) or {}).get("uid") == uid}
    found = [f"{ident} is missing" for ident in wanted if ident not in mine]
    for ident, body in mine.items():
        if ident not in wanted and ident.kind != "PersistentVolumeClaim":
            found.append(f"{ident} is left over")
        elif ident in wanted and ident.kind != "PersistentVolumeClaim":
            said = (body["metadata"].get("annotations") or {}).get(APPLIED_HASH)
            found += [] if said == wanted[ident] else [f"{ident} is another"]
    return found


def replaced(before: Mapping[ChildId, str], after: Mapping[ChildId, str]) -> list[str]:
    """Return children that exist in both but are not the same object (uids)."""
    return [f"{ident} is a new one" for ident, uid in before.items() if after.get(ident, uid) != uid]


def unneeded(calls: Iterable[Call], needed: Iterable[ChildId] = ()) -> list[str]:
    """Return the operator's successful deletions of children that no change asked for."""
    allowed = set(needed)
    found = []
    for call in calls:
        kind = _PLURALS.get(call.resource)
        taken = call.verb in ("delete", "deletecollection") and call.status < 300
        if kind is not None and taken and ChildId(kind, call.name) not in allowed:
            found.append(f"{kind} {call.name} was deleted at {call.at.isoformat()}")
    return found
