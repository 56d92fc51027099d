"""Watch Secrets labelled `butlers.dev/reload: "true"`, so that a change replaces the pods within seconds.

Only metadata is requested, so no value passes through here. Invariants: the resync finds what this misses; a
namespace in which watching is not allowed is logged once, does not affect the others and is retried now and then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterError, ClusterRefused
from butler_operator.cluster.paths import path_of
from butler_operator.control.runtime import Runtime
from butler_operator.control.secrets import Secrets
from butler_operator.reconcile.key import Key
from butler_resources.kinds.names import RELOAD_LABEL
from butler_resources.render.cluster import references

__all__ = ["Reload"]

_log = get_logger(__name__)
SELECTOR: Final = f"{RELOAD_LABEL}=true"
ONE: Final = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
MANY: Final = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
WATCH_S: Final = 240.0
"""How long one watch lasts; a stream that went silent is replaced after that."""
NEXT_S: Final = 0.5
"""Pause between a watch that ended normally and the next."""
AGAIN_S: Final = 5.0
REFUSED_AGAIN_S: Final = 300.0
LOOK_S: Final = 5.0
"""Pause between two checks of which namespaces are served."""
SETTLE_S: Final = 0.3
"""Several keys written one after another within this time cause one rollout."""


class Reload:
    """`run` owns a watch for each namespace."""

    def __init__(self, runtime: Runtime, secrets: Secrets) -> None:
        self._runtime = runtime
        self._secrets = secrets
        self._seen: dict[str, dict[str, str]] = {}
        self._refused: set[str] = set()

    async def run(self) -> None:
        """Follow every watched namespace until cancelled."""
        tasks: dict[str, asyncio.Task[None]] = {}
        try:
            while True:
                wanted = set(self._runtime.served)
                for namespace in wanted - tasks.keys():
                    tasks[namespace] = asyncio.create_task(
                        self._follow(namespace), name=f"reload-{namespace}"
                    )
                for namespace in tasks.keys() - wanted:
                    tasks.pop(namespace).cancel()
                await asyncio.sleep(LOOK_S)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _follow(self, namespace: str) -> None:
        while True:
            pause_s = AGAIN_S
            try:
                await self._round(namespace)
                pause_s = NEXT_S
            except ClusterRefused as error:
                pause_s = REFUSED_AGAIN_S
                if namespace not in self._refused:
                    _log.warning("reload_not_watched", namespace=namespace, problem=error.message)
                self._refused.add(namespace)
            except ClusterError as error:
                _log.debug("reload_late", namespace=namespace, problem=error.message)
            except Exception:
                _log.exception("reload_failed", namespace=namespace)
            await asyncio.sleep(pause_s)

    async def _round(self, namespace: str) -> None:
        """List, report differences from the last known state, then watch until the stream ends."""
        path, query = path_of("Secret", namespace), {"labelSelector": SELECTOR}
        listed = await self._runtime.cluster.request("GET", path, query=query, accept=MANY)
        self._refused.discard(namespace)
        now = {_name(one): _version(one) for one in listed.get("items") or []}
        before = self._seen.get(namespace, {})
        for name in sorted(now.keys() | before.keys()):
            if now.get(name) != before.get(name):
                self._changed(namespace, name)
        self._seen[namespace] = now
        since = (listed.get("metadata") or {}).get("resourceVersion", "")
        told = self._runtime.cluster.watch(
            path, query={**query, "resourceVersion": since}, accept=ONE, timeout_s=WATCH_S
        )
        async with aclosing(told) as events:
            async for event in events:
                if event.get("type") not in ("ADDED", "MODIFIED", "DELETED"):
                    await asyncio.sleep(AGAIN_S)  # an error, such as a version that is too old
                    return
                self._note(namespace, event)

    def _note(self, namespace: str, event: Mapping[str, Any]) -> None:
        name = _name(event["object"])
        seen = self._seen[namespace]
        if event["type"] == "DELETED":
            seen.pop(name, None)
        else:
            seen[name] = _version(event["object"])
        self._changed(namespace, name)

    def _changed(self, namespace: str, name: str) -> None:
        """Queue a reconcile of every resource that reads the Secret."""
        place = self._runtime.place(namespace)
        for kind in ("Butler", "Connector"):
            for resource, body in self._runtime.parsed(kind, namespace):
                read = [ref for ref in references(resource, place) if ref.name == name]
                if read:
                    self._secrets.forget(namespace, read)
                    self._runtime.queue.add(Key.of(body), after_s=SETTLE_S)


def _name(body: Mapping[str, Any]) -> str:
    return str(body["metadata"]["name"])


def _version(body: Mapping[str, Any]) -> str:
    return str(body["metadata"].get("resourceVersion") or "")
