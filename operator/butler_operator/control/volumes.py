"""Grow connectors' volumes before anything else is reconciled, and report the result (`StorageCurrent`).

A refusal stops nothing: it is reported and retried with the resync, because the class may change. A claim that does
not exist yet is created with the other children.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterGone, ClusterRefused
from butler_operator.control.runtime import Runtime
from butler_operator.reconcile.conditions import Condition
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.outcome import Outcome
from butler_operator.reconcile.ownership import controller_of
from butler_operator.reconcile.resource import is_deleting, is_paused, owner_of
from butler_operator.reconcile.volumes import grown, size_of, storage_condition
from butler_resources.kinds import Connector, ManifestError
from butler_resources.kinds.objects import parse_object
from butler_resources.render.cluster.pvc import render_pvc

__all__ = ["Volumes"]

_log = get_logger(__name__)
CLAIM: Final = "PersistentVolumeClaim"
Body = dict[str, Any]


class Volumes:
    """`before` adds growing in front of a reconciler; `conditions` returns what its status gets as well."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._refused: dict[Key, tuple[str, float, str]] = {}
        """By connector: the refused size, when it was refused, and the API server's message."""

    def before(self, reconcile: Callable[[Key], Awaitable[Outcome]]) -> Callable[[Key], Awaitable[Outcome]]:
        """Wrap a reconciler so that the volume is handled first."""

        async def with_volume(key: Key) -> Outcome:
            await self._grow(key)
            return await reconcile(key)

        return with_volume

    def conditions(self, key: Key) -> tuple[Condition, ...]:
        """Return `StorageCurrent` of a connector whose volume was seen."""
        found = self._volume(key)
        if found is None:
            return ()
        connector, desired, live = found
        size, _, words = self._refused.get(key, ("", 0.0, ""))
        said = connector.spec.storage
        return (
            storage_condition(
                desired,
                live,
                asked_class=said.class_name if said is not None else None,
                asked_size=said.size if said is not None else None,
                refusal=words if size == size_of(desired) else None,
            ),
        )

    async def _grow(self, key: Key) -> None:
        found = self._volume(key)
        manifest = grown(found[1], found[2]) if found is not None else None
        if manifest is None:
            self._refused.pop(key, None)
            return
        if self._refused_lately(key, size_of(manifest)):
            return
        try:
            live = await self._runtime.cluster.apply(manifest)
        except ClusterGone:
            return
        except ClusterRefused as error:
            self._refused[key] = (size_of(manifest), self._runtime.clock.monotonic(), error.message)
            return
        self._refused.pop(key, None)
        self._runtime.metrics.count("butlers.operator.writes", kind=CLAIM, verb="apply")
        self._runtime.observed.put(live)
        _log.info("grown", key=str(key), size=size_of(manifest))

    def _refused_lately(self, key: Key, size: str) -> bool:
        known, since, _ = self._refused.get(key, ("", 0.0, ""))
        return known == size and self._runtime.clock.monotonic() - since < self._runtime.settings.resync_s

    def _volume(self, key: Key) -> tuple[Connector, Body, Body] | None:
        """Return the connector with its desired and its live claim; None when it has no claim of its own."""
        body = self._runtime.observed.resource(key)
        if body is None or is_deleting(body) or is_paused(body):
            return None
        try:
            connector = parse_object(Connector, body)
        except ManifestError:
            return None
        desired = render_pvc(connector, self._runtime.place(key.namespace), owner_of(body))
        live = (
            self._runtime.observed.get(CLAIM, key.namespace, desired["metadata"]["name"]) if desired else None
        )
        if desired is None or live is None:
            return None
        owner = controller_of(live)
        own = owner is not None and owner.get("uid") == body["metadata"]["uid"]
        return (connector, desired, live) if own else None
