"""The Kubernetes API over `kubernetes.aio`: plain documents in and out, our own errors, one field manager.

Invariant: children are written by server-side apply as `butlers-operator`, so that fields which others add stay
theirs; only Events, Leases and Spark runs are created. Every call has a deadline, and at most `MAX_PARALLEL` calls
besides watches run at a time.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

import aiohttp
from kubernetes.aio import client as api
from kubernetes.aio import config

from butler_operator.cluster.errors import (
    ClusterError,
    ClusterGone,
    ClusterUnavailable,
    error_of,
    words_of,
)
from butler_operator.cluster.paths import path_of

__all__ = ["FIELD_MANAGER", "Cluster", "connect"]

FIELD_MANAGER: Final = "butlers-operator"
CALL_TIMEOUT_S: Final = 30.0
MAX_PARALLEL: Final = 10
PAGE: Final = 100
"""Small, because a page of five hundred Deployments would be the operator's peak memory use."""
_NO_ANSWER: Final = (TimeoutError, OSError, aiohttp.ClientError, api.ApiException)
_APPLY: Final = "application/apply-patch+yaml; charset=utf-8"
"""With a charset, because for the bare type the client would serialise the JSON itself."""
_NOT_AS_IT_IS: Final = re.compile(r"[\x7f-\uffff]")
_MERGE: Final = "application/merge-patch+json"
Body = dict[str, Any]


class Cluster:
    """`apply`, `get`, `list_all`, `delete` and status writes; raises `ClusterError`s only."""

    def __init__(self, client: api.ApiClient, *, timeout_s: float = CALL_TIMEOUT_S) -> None:
        self._client = client
        self._timeout_s = timeout_s
        self._limit = aiohttp.ClientTimeout(total=timeout_s)
        self._slots = asyncio.Semaphore(MAX_PARALLEL)
        self.fence: Callable[[], bool] = lambda: True
        """Whether this process may write now; it may always write its Lease."""
        client.user_agent = FIELD_MANAGER

    async def close(self) -> None:
        await self._client.close()  # type: ignore[no-untyped-call]

    async def get(self, kind: str, namespace: str, name: str) -> Body | None:
        """Return the object, or None if it does not exist."""
        try:
            return await self.request("GET", path_of(kind, namespace, name))
        except ClusterGone:
            return None

    async def list_all(self, kind: str, namespace: str, *, label_selector: str | None = None) -> list[Body]:
        """Return all objects of a namespace, page by page, without their managed fields."""
        items: list[Body] = []
        query: dict[str, Any] = {"limit": PAGE}
        if label_selector:
            query["labelSelector"] = label_selector
        while True:
            page = await self.request("GET", path_of(kind, namespace), query=query)
            for item in page.get("items") or []:
                item["metadata"].pop("managedFields", None)
                items.append(item)
            more = (page.get("metadata") or {}).get("continue")
            if not more:
                return items
            query["continue"] = more

    async def has_any(self, kind: str, namespace: str) -> bool:
        """Whether a namespace has an object of the kind now."""
        page = await self.request("GET", path_of(kind, namespace), query={"limit": 1})
        return bool(page.get("items"))

    async def apply(self, manifest: Mapping[str, Any]) -> Body:
        """Apply one owned object server-side; return the API's result."""
        metadata = manifest["metadata"]
        path = path_of(manifest["kind"], metadata["namespace"], metadata["name"])
        query = {"fieldManager": FIELD_MANAGER, "force": "true"}
        return await self.request("PATCH", path, body=_yaml(manifest), query=query, content_type=_APPLY)

    async def create(self, manifest: Mapping[str, Any]) -> Body:
        """Create an object that must not exist yet; raises `ClusterConflict` if it does."""
        path = path_of(manifest["kind"], manifest["metadata"]["namespace"])
        return await self.request("POST", path, body=manifest, query={"fieldManager": FIELD_MANAGER})

    async def delete(self, kind: str, namespace: str, name: str, *, uid: str | None = None) -> bool:
        """Delete one object (only if it has `uid`, when given); return False if it was already gone."""
        body: Body = {"propagationPolicy": "Background"}
        if uid is not None:
            body["preconditions"] = {"uid": uid}
        try:
            await self.request("DELETE", path_of(kind, namespace, name), body=body)
        except ClusterGone:
            return False
        return True

    async def patch(self, kind: str, namespace: str, name: str, change: Mapping[str, Any]) -> Body:
        """Apply a merge patch (RFC 7396) to an object that somebody else made."""
        query = {"fieldManager": FIELD_MANAGER}
        path = path_of(kind, namespace, name)
        return await self.request("PATCH", path, body=change, query=query, content_type=_MERGE)

    async def write_status(self, resource: Mapping[str, Any], status: Mapping[str, Any]) -> Body:
        """Replace the keys of a custom resource's status by merge patch; None removes one."""
        metadata = resource["metadata"]
        path = path_of(resource["kind"], metadata["namespace"], metadata["name"], subresource="status")
        body = {"metadata": {"uid": metadata["uid"]}, "status": status}
        query = {"fieldManager": FIELD_MANAGER}
        return await self.request("PATCH", path, body=body, query=query, content_type=_MERGE)

    async def write_finalizers(self, resource: Mapping[str, Any], finalizers: list[str]) -> Body:
        """Set the finalizers of a custom resource, only if nobody changed it since it was read."""
        metadata = resource["metadata"]
        path = path_of(resource["kind"], metadata["namespace"], metadata["name"])
        guarded = {"resourceVersion": metadata["resourceVersion"], "finalizers": finalizers}
        query = {"fieldManager": FIELD_MANAGER}
        return await self.request("PATCH", path, body={"metadata": guarded}, query=query, content_type=_MERGE)

    async def write_lease(
        self, namespace: str, name: str, spec: Mapping[str, Any], *, over: Mapping[str, Any] | None
    ) -> Body:
        """Create a Lease, or change it if it still is as in `over`; `ClusterConflict` otherwise."""
        metadata = {"name": name, "namespace": namespace}
        query = {"fieldManager": FIELD_MANAGER}
        if over is None:
            body = {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": metadata,
                "spec": spec,
            }
            return await self.request(
                "POST", path_of("Lease", namespace), body=body, query=query, fenced=False
            )
        guard = {field: over["metadata"][field] for field in ("uid", "resourceVersion")}
        path, change = path_of("Lease", namespace, name), {"metadata": guard, "spec": spec}
        return await self.request("PATCH", path, body=change, query=query, content_type=_MERGE, fenced=False)

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | str | None = None,
        query: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
        fenced: bool = True,
    ) -> Body:
        """Make one call and return the answer's JSON object. Raises `ClusterError`s."""
        if fenced and method != "GET" and not self.fence():
            raise ClusterUnavailable("another operator may lead by now, so nothing is written")
        url = f"{path}?{urlencode(query)}" if query else path
        headers = {"Accept": accept, "Content-Type": content_type}
        try:
            async with self._slots, asyncio.timeout(self._timeout_s):
                answer = await self._send(method, url, headers, body, limit=self._limit)
                content = await answer.read()
        except _NO_ANSWER as error:
            raise ClusterUnavailable(f"the Kubernetes API did not answer: {type(error).__name__}") from error
        if not 200 <= answer.status <= 299:
            raise _refusal(answer.status, content)
        return _document(content)

    async def watch(
        self, path: str, *, query: Mapping[str, Any], accept: str, timeout_s: float
    ) -> AsyncGenerator[Body, None]:
        """Yield a watch's events until the server ends it, at most `timeout_s`. Raises `ClusterError`s."""
        url = f"{path}?{urlencode({**query, 'watch': 'true', 'timeoutSeconds': int(timeout_s)})}"
        limit = aiohttp.ClientTimeout(total=timeout_s + self._timeout_s, sock_connect=self._timeout_s)
        try:
            answer = await self._send("GET", url, {"Accept": accept}, None, limit=limit)
            try:
                if not 200 <= answer.status <= 299:
                    raise _refusal(answer.status, await answer.read())
                async for line in answer.response.content:
                    yield _document(line)
            finally:
                answer.response.close()
        except _NO_ANSWER as error:
            raise ClusterUnavailable(
                f"a watch of the Kubernetes API broke: {type(error).__name__}"
            ) from error

    async def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Mapping[str, Any] | str | None,
        *,
        limit: aiohttp.ClientTimeout,
    ) -> Any:
        """Send one request; return its answer with nothing read yet."""
        # The body is left out here, because a None in it would be lost, and a merge patch needs it.
        method_, url_, headers_, _, _ = await self._client.param_serialize(
            method, url, header_params=dict(headers), auth_settings=["BearerToken"]
        )
        return await self._client.call_api(method_, url_, headers_, body, _request_timeout=limit)


def _refusal(status: int, content: bytes) -> ClusterError:
    document = _document(content)
    message = str(document.get("message") or content[:500].decode(errors="replace") or f"HTTP {status}")
    return error_of(status, message=words_of(message), reason=str(document.get("reason") or ""))


def _yaml(manifest: Mapping[str, Any]) -> str:
    """Return JSON that is also YAML, where an escape is one character: emoji, two JSON escapes, stay raw."""
    text = json.dumps(manifest, ensure_ascii=False)
    return _NOT_AS_IT_IS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _document(content: bytes) -> Body:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


async def connect(*, host: str | None = None) -> Cluster:
    """Connect by the pod's service account, else by the user's kubeconfig; `host` alone is for tests."""
    configuration = api.Configuration()
    if host is not None:
        configuration.host = host
    else:
        try:
            config.load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
        except config.ConfigException:
            await config.load_kube_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
    # Retries are the queue's decision, not the client's: None means never; 0 would mean forever.
    configuration.retries = None
    return Cluster(api.ApiClient(configuration))
