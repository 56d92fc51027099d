"""Hold a new image back from resources until their turn comes, then requeue them (`reconcile.rollout`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from butler_operator.control.observed import WORKLOAD
from butler_operator.control.runtime import Runtime
from butler_operator.reconcile.handover import one_after_the_other
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.plan import ChildId
from butler_operator.reconcile.rollout import HELD, Member, held, image_of, member_of, remembered, waits_for

__all__ = ["Gate", "Rollouts"]

Body = dict[str, Any]


@dataclass(frozen=True)
class Gate:
    """The children to bring now; those in `kept` stay as they are, and `waits` says what for."""

    desired: Sequence[Body]
    kept: frozenset[ChildId] = frozenset()
    waits: str = ""


class Rollouts:
    """`gate` is called before a resource's children are applied. Its memory only saves time."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._waiting: defaultdict[str, set[Key]] = defaultdict(set)

    def gate(self, key: Key, desired: Sequence[Body]) -> Gate:
        """Return which of `desired` may be applied now."""
        waiting = self._waiting[key.namespace]
        waiting.discard(key)
        me = self._member(key)
        if me is None:
            return Gate(desired)
        live = self._runtime.observed.children(key, {*WORKLOAD, *HELD})
        desired = [
            one_after_the_other(manifest, live) if manifest["kind"] == "Deployment" else manifest
            for manifest in desired
        ]
        image = next(image_of(manifest) for manifest in desired if manifest["kind"] == "Deployment")
        first = self._first(key.namespace, me, image)
        if first is not None:
            waiting.add(key)
            manifests, kept = held(_remembering(desired, me, me.image), live)
            return Gate(
                manifests, kept, f"{image} is tried by {first.name} first; until then {me.image} goes on"
            )
        if image in me.ready_images:
            self._wake(key.namespace)
        return Gate(_remembering(desired, me, image))

    def _first(self, namespace: str, me: Member, image: str) -> Member | None:
        if image == me.image or image != self._runtime.place(namespace).image:
            # Nothing new, or an image of its own, which nobody else can try.
            return None
        return waits_for(me, self._household(namespace), image)

    def _household(self, namespace: str) -> Iterator[Member]:
        for kind in ("Butler", "Connector"):
            for body in self._runtime.observed.of_kind(kind, namespace):
                member = self._member(Key.of(body))
                if member is not None:
                    yield member

    def _member(self, key: Key) -> Member | None:
        observed = self._runtime.observed
        body = observed.resource(key)
        if body is None:
            return None
        return member_of(f"{key.kind.lower()}/{key.name}", body, observed.children(key, WORKLOAD))

    def _wake(self, namespace: str) -> None:
        for key in self._waiting.pop(namespace, ()):
            self._runtime.queue.add(key)


def _remembering(desired: Sequence[Body], me: Member, image: str) -> list[Body]:
    return [
        remembered(manifest, me, image) if manifest["kind"] == "Deployment" else manifest
        for manifest in desired
    ]
