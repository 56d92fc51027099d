"""Undeclare what Switchboard knows but no resource declares: the only way a deletion is reported (D3, ADR 0044).

The beat calls it, at once when a resource is deleted; it makes no difference whether the operator saw the deletion.
Invariant: nothing is undeclared before everything was listed once, nor before the API server itself says that the
resource is gone: a watch may merely be behind.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterError
from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsClient, OpsNotFound, OpsRefused
from butler_operator.reconcile.registry import Bound, RegistryView, bound_of, leftovers, source_of, unclaimed
from butler_operator.reconcile.resource import is_deleting

__all__ = ["Leftovers", "connector_path"]

_log = get_logger(__name__)
Body = dict[str, Any]
UNPROVED: Final = object()


class Leftovers:
    """`tidy` for the registry's beat."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def tidy(self, namespace: str, view: RegistryView, ops: OpsClient) -> None:
        """Undeclare butlers, then the sources of connectors. Raises `OpsUnavailable`."""
        if namespace not in self._runtime.listed:
            return
        observed = self._runtime.observed
        butlers = {
            body["metadata"]["name"]
            for body in observed.of_kind("Butler", namespace)
            if not is_deleting(body)
        }
        for name in leftovers(view, butlers):
            if await self._resource("Butler", namespace, name) is None:
                subject = f"system:serviceaccount:{namespace}:butler-{name}"
                await self._undeclare(ops, namespace, f"/butlers/{quote(name, safe='')}", subject)
        here = [
            (body["metadata"]["name"], source_of(body))
            for body in observed.of_kind("Connector", namespace)
            if not is_deleting(body)
        ]
        for bound in unclaimed(await self._bound(ops), here, namespace=namespace):
            body = await self._resource("Connector", namespace, bound.name)
            if body is None or (body is not UNPROVED and source_of(body) != bound.source):
                await self._undeclare(ops, namespace, connector_path(*bound.source), bound.subject)

    async def _bound(self, ops: OpsClient) -> list[Bound]:
        try:
            return bound_of((await ops.request("GET", "/bindings")).get("bindings") or [])
        except OpsNotFound:
            return []  # an older Switchboard, in the middle of an upgrade

    async def _undeclare(self, ops: OpsClient, namespace: str, path: str, subject: str) -> None:
        try:
            await ops.request("DELETE", path, query={"subject": subject})
        except OpsNotFound:
            return
        except OpsRefused as error:
            _log.debug("leftover_kept", namespace=namespace, path=path, problem=error.message)
            return
        _log.info("leftover_undeclared", namespace=namespace, path=path)

    async def _resource(self, kind: str, namespace: str, name: str) -> Any:
        """Return the object unless it is being deleted; `UNPROVED` while the API server does not answer."""
        try:
            body = await self._runtime.cluster.get(kind, namespace, name)
        except ClusterError as error:
            _log.debug("leftover_unproved", namespace=namespace, kind=kind, name=name, problem=error.message)
            return UNPROVED
        return None if body is None or is_deleting(body) else body


def connector_path(kind: str, endpoint: str) -> str:
    """Return a connector's path in the ops API."""
    return f"/connectors/{quote(kind, safe='')}/{quote(endpoint, safe=':')}"
