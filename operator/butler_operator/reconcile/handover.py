"""Hand a connector's file over to Switchboard's keeping: its pod ends before others begin. Pure.

A Deployment that is scaled and given another template at once first creates more pods of the old one, and a rolling
one keeps them beside the new: a file would have two readers, and a bot two pollers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from butler_operator.reconcile.workload import workload_of

__all__ = ["one_after_the_other"]

_FILE: Final = "CONNECTOR_CURSOR_PATH"
_RECREATE: Final = "Recreate"
Body = Mapping[str, Any]


def one_after_the_other(manifest: dict[str, Any], live: Sequence[Body]) -> dict[str, Any]:
    """Return the Deployment's manifest; while a pod of it reads a file, all end first and none is added."""
    deployment = next((body for body in live if body["kind"] == "Deployment"), None)
    if deployment is None or _strategy(manifest) == _RECREATE or _strategy(deployment) != _RECREATE:
        return manifest
    if not _keeps_a_file(deployment) and workload_of(live).settled:
        return manifest
    spec = manifest["spec"]
    replicas = min(spec["replicas"], int(deployment["spec"].get("replicas", 1)))
    return {**manifest, "spec": {**spec, "strategy": {"type": _RECREATE}, "replicas": replicas}}


def _strategy(deployment: Body) -> str:
    return str((deployment["spec"].get("strategy") or {}).get("type", ""))


def _keeps_a_file(deployment: Body) -> bool:
    containers = deployment["spec"]["template"]["spec"]["containers"]
    return any(entry["name"] == _FILE for one in containers for entry in one.get("env") or ())
