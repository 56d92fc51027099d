"""An API server for tests of the operator: kmock's discovery, with what kmock lacks for a controller.

Resource versions that grow, generations, uids, the status subresource, server-side apply (without effect it writes
nothing), preconditions, label selectors, finalizers, garbage collection by owner. Not here: schemas, CEL, RBAC, field
ownership of others; those are proved on a real cluster.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import kmock
from aiohttp.web import BaseRequest, StreamResponse, json_response

from butler_operator.cluster.paths import CHILD_KINDS, OWN_KINDS, POD, ROUTE_KINDS, ApiKind, api_kind

Body = dict[str, Any]
Ident = tuple[str, str, str]

KINDS = (*OWN_KINDS, *CHILD_KINDS, POD, *map(api_kind, ("Secret", "Event", "Lease", "CronJob", "Job")))
SPARK_KINDS = tuple(map(api_kind, ("ScheduledSparkApplication", "SparkApplication")))
_BY_PLURAL = {(kind.group, kind.plural): kind for kind in (*KINDS, *ROUTE_KINDS, *SPARK_KINDS)}


class ClusterApi(kmock.KubernetesScaffold):
    """The objects of a cluster by (kind, namespace, name), served over HTTP; `writes` has every write in order."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.store: dict[Ident, Body] = {}
        self.writes: list[tuple[str, Ident, Body]] = []
        self.asked: deque[str] = deque(maxlen=40)
        self.outage: Callable[[kmock.Request], kmock.KubernetesError | None] = lambda request: None
        self.second_page: dict[str, asyncio.Event] = {}
        """By kind: kopf's listing of it comes in two pages, the first with one object, the second once this is set."""
        self.spaces: dict[str, dict[str, str]] = {"home": {}}
        """Labels by name; objects may be in others as well, as in one that is forbidden."""
        self._version = 1000
        self._watchers: list[tuple[str, asyncio.Queue[tuple[str, Body, Body]]]] = []
        self._serve(KINDS)
        # kopf looks for these two before it serves anything.
        for name in ("v1/namespaces", "apiextensions.k8s.io/v1/customresourcedefinitions"):
            self.resources[name] = kmock.ResourceInfo(namespaced=False, verbs={"get", "list", "watch"})
        actions = kmock.action
        self.fallback[actions.LIST] << self._list
        self.fallback[actions.WATCH] << self._watch
        self.fallback[actions.FETCH] << self._fetch
        self.fallback[actions.CREATE] << self._create
        self.fallback[actions.UPDATE] << self._update
        self.fallback[actions.DELETE] << self._delete

    def _serve(self, kinds: Iterable[ApiKind]) -> None:
        for kind in kinds:
            verbs = {"get", "list", "watch", "create", "patch", "delete"}
            self.resources[f"{kind.group}/{kind.version}/{kind.plural}".lstrip("/")] = kmock.ResourceInfo(
                kind=kind.kind,
                singular=kind.kind.lower(),
                namespaced=True,
                verbs=verbs,
                subresources={"status"},
            )

    def install_gateway_api(self) -> None:
        """Serve HTTPRoutes from now on."""
        self._serve(ROUTE_KINDS)

    def install_spark_operator(self) -> None:
        """Serve its kinds from now on."""
        self._serve(SPARK_KINDS)

    async def __call__(self, raw_request: BaseRequest) -> StreamResponse:
        """Namespaces are answered here: kmock cannot parse the path of their list."""
        root, _, name = raw_request.path.partition("/api/v1/namespaces")
        if root or "/" in name.strip("/") or raw_request.method != "GET":
            return await super().__call__(raw_request)
        return self._answer_namespaces(name.strip("/"), raw_request.query.get("labelSelector", ""))

    def _answer_namespaces(self, name: str, selector: str) -> StreamResponse:
        found: list[Body] = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": one, "labels": labels}}
            for one, labels in self.spaces.items()
        ]
        if not name:
            return json_response(
                {"metadata": {}, "items": [body for body in found if _selected(body, selector)]}
            )
        body = next((body for body in found if body["metadata"]["name"] == name), None)
        missing = {"kind": "Status", "reason": "NotFound", "message": f'namespaces "{name}" not found'}
        return json_response(body or missing, status=200 if body else 404)

    async def _handle(self, request: kmock.Request) -> StreamResponse:
        # kmock looks for a request among all there were, which takes longer with each: one is enough.
        self._requests[:] = [request]
        self.asked.append(f"{request.method.value} {request.url.path_qs}")
        return await super()._handle(request)

    # What a test does.

    def have(self, given: Mapping[str, Any], *, namespace: str = "home") -> Body:
        """Create or replace an object as somebody else would."""
        body: Body = copy.deepcopy(dict(given))
        body["metadata"] = {"namespace": namespace, **body["metadata"]}
        ident = (body["kind"], body["metadata"]["namespace"], body["metadata"]["name"])
        old = self.store.get(ident)
        if old is not None:
            body = {**body, "status": body.get("status", old.get("status", {}))}
            kept = {key: old["metadata"][key] for key in ("uid", "creationTimestamp", "generation")}
            kept["finalizers"] = old["metadata"].get("finalizers", [])
            body["metadata"] = {**kept, **body["metadata"]}
        return self._save(ident, body)

    def edit(self, kind: str, name: str, change: Callable[[Body], None], *, namespace: str = "home") -> Body:
        """Change an object in place, as `kubectl edit` or another controller would."""
        ident = (kind, namespace, name)
        body = copy.deepcopy(self.store[ident])
        change(body)
        return self._save(ident, body)

    def find(self, kind: str, name: str, *, namespace: str = "home") -> Body | None:
        return self.store.get((kind, namespace, name))

    def remove(self, kind: str, name: str, *, namespace: str = "home") -> None:
        """Delete as a client would: finalizers are waited for, owned objects follow."""
        self._begin_delete((kind, namespace, name))

    def is_watched(self, kind: str) -> bool:
        """Whether somebody watches that kind now: a listing may have told of its objects before the watch begins."""
        return any(watched == kind for watched, _ in self._watchers)

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """What is done inside falls into a gap of every watch."""
        watchers, self._watchers = self._watchers, []
        try:
            yield
        finally:
            self._watchers = watchers

    def names(self, kind: str, *, namespace: str = "home") -> list[str]:
        return sorted(name for known, where, name in self.store if (known, where) == (kind, namespace))

    def condition(self, kind: str, name: str, type_: str) -> Body | None:
        body = self.find(kind, name) or {}
        conditions = (body.get("status") or {}).get("conditions") or []
        return next((entry for entry in conditions if entry["type"] == type_), None)

    def events(self) -> list[Body]:
        return [body for (kind, _, _), body in self.store.items() if kind == "Event"]

    # What clients do.

    def _guard(self, request: kmock.Request) -> ApiKind:
        error = self.outage(request)
        if error is not None:
            raise error
        assert request.resource is not None
        return _BY_PLURAL[request.resource.group or "", request.resource.plural or ""]

    def _ident(self, request: kmock.Request) -> Ident:
        kind = self._guard(request)
        return kind.kind, request.namespace or "", request.name or ""

    async def _list(self, request: kmock.Request) -> Body:
        kind = self._guard(request)
        selector = request.params.get("labelSelector", "")
        items = [body for body in self._of(kind.kind, request.namespace) if _selected(body, selector)]
        items, more = await self._page(kind.kind, request, items)
        return {
            "apiVersion": kind.api_version,
            "kind": f"{kind.kind}List",
            "metadata": {"resourceVersion": str(self._version), "continue": more},
            "items": [{k: v for k, v in body.items() if k not in ("kind", "apiVersion")} for body in items],
        }

    async def _page(self, kind: str, request: kmock.Request, items: list[Body]) -> tuple[list[Body], str]:
        if kind not in self.second_page or not request.headers.get("User-Agent", "").startswith("kopf"):
            return items, ""
        if "continue" not in request.params:
            return items[:1], "more"
        await self.second_page[kind].wait()
        return items[1:], ""

    async def _watch(self, request: kmock.Request) -> AsyncIterator[Any]:
        kind = self._guard(request)
        selector = request.params.get("labelSelector", "")
        since = int(request.params.get("resourceVersion") or 0)
        queue: asyncio.Queue[tuple[str, Body, Body]] = asyncio.Queue()
        watcher = (kind.kind, queue)
        self._watchers.append(watcher)
        try:
            yield b""
            for body in self._of(kind.kind, request.namespace):
                if _selected(body, selector) and int(body["metadata"]["resourceVersion"]) > since:
                    yield {"type": "ADDED", "object": body}
            ends = asyncio.get_running_loop().time() + float(request.params.get("timeoutSeconds") or 3600)
            while True:
                try:
                    async with asyncio.timeout_at(ends):
                        type_, body, old = await queue.get()
                except TimeoutError:
                    return
                metadata = body["metadata"]
                if body["kind"] == kind.kind and request.namespace in (None, metadata["namespace"]):
                    if _selected(body, selector):
                        yield {"type": type_, "object": body}
                    elif _selected(old, selector):
                        # As the API server does: what it was, with the version at which it left the selection.
                        left = {**old["metadata"], "resourceVersion": metadata["resourceVersion"]}
                        yield {"type": "DELETED", "object": {**old, "metadata": left}}
        finally:
            self._watchers.remove(watcher)

    async def _fetch(self, request: kmock.Request) -> Body:
        ident = self._ident(request)
        if ident not in self.store:
            raise kmock.KubernetesObjectNotFoundError()
        return self.store[ident]

    async def _create(self, request: kmock.Request) -> Body:
        kind, namespace, _ = self._ident(request)
        body = json.loads(request.body)
        ident = (kind, namespace, body["metadata"]["name"])
        if ident in self.store:
            raise kmock.KubernetesError(status=409, reason="AlreadyExists", message="already exists")
        self.writes.append(("create", ident, body))
        return self._save(ident, body)

    async def _update(self, request: kmock.Request) -> Body:
        ident = self._ident(request)
        change = json.loads(request.body)
        applied = "apply-patch" in request.headers.get("Content-Type", "")
        old = self.store.get(ident)
        if old is None and not applied:
            raise kmock.KubernetesObjectNotFoundError()
        self._check(old, change.get("metadata") or {})
        known = old or {}
        if applied:
            assert request.params["fieldManager"] == "butlers-operator"
            new = _applied(old, change)
        elif request.subresource == "status":
            new = {**known, "status": _merged(known.get("status") or {}, change.get("status") or {})}
        else:
            new = {**_merged(known, change), "status": known.get("status", {})}
        self.writes.append(("apply" if applied else request.subresource or "patch", ident, change))
        return old if old is not None and new == old else self._save(ident, new)

    async def _delete(self, request: kmock.Request) -> Body:
        ident = self._ident(request)
        if ident not in self.store:
            raise kmock.KubernetesObjectNotFoundError()
        options = json.loads(request.body or b"{}")
        self._check(self.store[ident], options.get("preconditions") or {})
        self.writes.append(("delete", ident, options))
        self._begin_delete(ident)
        return {"kind": "Status", "apiVersion": "v1", "status": "Success"}

    def _check(self, old: Body | None, given: Mapping[str, Any]) -> None:
        for field in ("uid", "resourceVersion"):
            if old is not None and field in given and given[field] != old["metadata"].get(field):
                raise kmock.KubernetesError(status=409, reason="Conflict", message=f"{field} differs")

    # The store.

    def _of(self, kind: str, namespace: str | None) -> list[Body]:
        return [
            body
            for (known, where, _), body in self.store.items()
            if known == kind and namespace in (None, where)
        ]

    def _save(self, ident: Ident, body: Body) -> Body:
        old = self.store.get(ident)
        self._version += 1
        metadata = dict(body["metadata"])
        metadata.setdefault("uid", str(uuid4()))
        metadata.setdefault("creationTimestamp", _now())
        metadata["namespace"] = ident[1]
        changed = old is None or old.get("spec") != body.get("spec")
        before = old["metadata"]["generation"] if old is not None else 0
        metadata["generation"] = before + 1 if changed else before
        metadata["resourceVersion"] = str(self._version)
        kind = api_kind(ident[0])
        saved = {"apiVersion": kind.api_version, **body, "kind": kind.kind, "metadata": metadata}
        self.store[ident] = saved
        if metadata.get("deletionTimestamp") and not metadata.get("finalizers"):
            self._vanish(ident)
        else:
            self._tell("ADDED" if old is None else "MODIFIED", saved, old or saved)
        return saved

    def _begin_delete(self, ident: Ident) -> None:
        body = self.store[ident]
        if body["metadata"].get("finalizers"):
            metadata = {**body["metadata"], "deletionTimestamp": _now()}
            self._save(ident, {**body, "metadata": metadata})
        else:
            self._vanish(ident)

    def _vanish(self, ident: Ident) -> None:
        body = self.store.pop(ident)
        self._version += 1
        metadata = {**body["metadata"], "resourceVersion": str(self._version)}
        self._tell("DELETED", {**body, "metadata": metadata}, body)
        uid = metadata["uid"]
        for owned, other in list(self.store.items()):
            if any(
                reference.get("uid") == uid for reference in other["metadata"].get("ownerReferences") or []
            ):
                self._begin_delete(owned)

    def _tell(self, type_: str, body: Body, old: Body) -> None:
        for _, queue in self._watchers:
            queue.put_nowait((type_, body, old))


def _applied(old: Body | None, manifest: Body) -> Body:
    """What an apply by the only manager of these fields makes: what it names replaces what it named before."""
    if old is None:
        return manifest
    metadata = {
        **old["metadata"],
        **{k: v for k, v in manifest["metadata"].items() if k not in ("labels", "annotations")},
    }
    for field in ("labels", "annotations"):
        metadata[field] = {**(old["metadata"].get(field) or {}), **(manifest["metadata"].get(field) or {})}
    return {**old, **manifest, "metadata": metadata, "status": old.get("status", {})}


def _merged(old: Any, change: Any) -> Any:
    """RFC 7396."""
    if not isinstance(change, dict) or not isinstance(old, dict):
        return change
    result = dict(old)
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key, {}) if isinstance(value, dict) else None, value)
    return result


def _selected(body: Body, selector: str) -> bool:
    labels = body["metadata"].get("labels") or {}
    wanted = [part.split("=", 1) for part in selector.split(",") if part]
    return all(labels.get(key) == value for key, value in wanted)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
