"""Carry out the plan for a resource's or a household's children, and report the result (`Deployed`).

Every object with a child's name is read before anything is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterConflict, ClusterRefused
from butler_operator.cluster.paths import CHILD_KINDS, ROUTE_KINDS, SCHEDULE_KINDS
from butler_operator.control.runtime import Runtime
from butler_operator.reconcile.conditions import Condition, failed, passed
from butler_operator.reconcile.drift import drift
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.ownership import adoption
from butler_operator.reconcile.plan import ChildId, Plan, child_id, plan
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.names import LABEL_MANAGED_BY, MANAGED_BY

__all__ = ["Children"]

_log = get_logger(__name__)
PRUNABLE: Final = frozenset(kind.kind for kind in (*CHILD_KINDS, *ROUTE_KINDS, *SCHEDULE_KINDS))
Body = dict[str, Any]
Owner = Mapping[str, str] | None


class Children:
    """Adopts orphans, applies differences, deletes leftovers, leaves other owners' objects alone."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tolerated: dict[Key, dict[ChildId, frozenset[str]]] = {}

    def forget(self, key: Key) -> None:
        """Forget a deleted resource."""
        self._tolerated.pop(key, None)

    async def bring(
        self,
        key: Key,
        desired: Sequence[Body],
        *,
        owner: Owner,
        generation: int | None = None,
        kept: Collection[ChildId] = (),
    ) -> Condition:
        """Bring the children of `key` to the owner's `generation`. Raises transient `ClusterError`s."""
        live = self._runtime.observed.children(key, PRUNABLE)
        live += await self._unseen(key, desired, live)
        tolerated = self._tolerated.setdefault(key, {})
        todo = plan(desired, live, owner=owner, prunable=PRUNABLE, tolerated=tolerated, kept=kept)
        if owner is not None and not todo.idle:
            await self._prove_alive(key.namespace, owner, generation)
        refused = await self._adopt(key, todo) or await self._apply(key, todo.apply)
        if not refused:
            if todo.delete and owner is not None:
                await self._prove_alive(key.namespace, owner, generation)
            await self._prune(key, todo)
        return _deployed(len(desired), len(kept), todo, refused)

    async def _unseen(self, key: Key, desired: Iterable[Body], live: Iterable[Body]) -> list[Body]:
        """Fetch the objects that have a child's name but lack our label and are therefore not watched."""
        seen = {child_id(body) for body in live}
        found = []
        for manifest in desired:
            ident = child_id(manifest)
            if ident not in seen:
                body = await self._runtime.cluster.get(ident.kind, key.namespace, ident.name)
                if (body is not None and not _watched(body)) or (
                    body is not None and self._runtime.observed.put(body)
                ):
                    found.append(body)
        return found

    async def _adopt(self, key: Key, todo: Plan) -> dict[ChildId, str]:
        """Adopt orphans, each only if it is unchanged since it was read (`ClusterConflict` otherwise)."""
        for body, manifest in todo.adopt:
            ident = child_id(body)
            try:
                live = await self._runtime.cluster.patch(
                    ident.kind, key.namespace, ident.name, adoption(body, manifest)
                )
            except ClusterRefused as error:
                return {ident: error.message}
            self._runtime.metrics.count("butlers.operator.writes", kind=ident.kind, verb="adopt")
            self._runtime.observed.put(live)
            _log.info("adopted", key=str(key), child=str(ident))
        return {}

    async def _prove_alive(
        self, namespace: str, owner: Mapping[str, str], generation: int | None = None
    ) -> None:
        """Check the owner with the API server itself before writing anything based on an old list or a late watch.

        Objects created for a deleted owner are created in vain, and adopted ones are deleted with it. Acting on an
        earlier `generation` would roll every pod back to it and delete desired objects.
        """
        found = await self._runtime.cluster.get(owner["kind"], namespace, owner["name"])
        metadata = {} if found is None else found["metadata"]
        if metadata.get("uid") != owner["uid"] or "deletionTimestamp" in metadata:
            raise ClusterConflict(f"{owner['kind']} {owner['name']} is being deleted: nothing is done for it")
        if generation is not None and metadata.get("generation") != generation:
            raise ClusterConflict(
                f"{owner['kind']} {owner['name']} has changed: nothing is done by what it said before"
            )

    async def _apply(self, key: Key, manifests: Iterable[Body]) -> dict[ChildId, str]:
        """Apply manifests; return those that the API server refused, with its messages."""
        refused: dict[ChildId, str] = {}
        for manifest in manifests:
            ident = child_id(manifest)
            try:
                live = await self._runtime.cluster.apply(manifest)
            except ClusterRefused as error:
                refused[ident] = error.message
                continue
            self._runtime.metrics.count("butlers.operator.writes", kind=ident.kind, verb="apply")
            self._runtime.observed.put(live)
            self._tolerated[key][ident] = drift(manifest, live)
            _log.info("applied", key=str(key), child=str(ident))
        return refused

    async def _prune(self, key: Key, todo: Plan) -> None:
        for body in todo.delete:
            ident, uid = child_id(body), body["metadata"].get("uid")
            try:
                await self._runtime.cluster.delete(ident.kind, key.namespace, ident.name, uid=uid)
            except ClusterConflict:
                continue  # another object has the name by now; the watch will report it
            self._runtime.metrics.count("butlers.operator.writes", kind=ident.kind, verb="delete")
            _log.info("pruned", key=str(key), child=str(ident))


def _watched(body: Mapping[str, Any]) -> bool:
    return (body["metadata"].get("labels") or {}).get(LABEL_MANAGED_BY) == MANAGED_BY


def _deployed(count: int, waiting: int, todo: Plan, refused: Mapping[ChildId, str]) -> Condition:
    type_ = ConditionType.DEPLOYED
    if todo.foreign:
        names = ", ".join(str(ident) for ident in todo.foreign)
        text = f"somebody else made {names}; nothing is created or changed until that is deleted or renamed"
        return failed(type_, Reason.OWNERSHIP_CONFLICT, text)
    if refused:
        ident, words = next(iter(refused.items()))
        return failed(type_, Reason.APPLY_FAILED, f"the API server refused {ident}: {words}")
    if todo.passing:
        names = ", ".join(str(ident) for ident in todo.passing)
        return failed(type_, Reason.APPLYING, f"waiting until {names} of an earlier life is deleted")
    later = ", the pods wait for their turn in a roll-out" if waiting else ""
    return passed(type_, Reason.DEPLOYED, f"{count - waiting} objects are as desired{later}")
