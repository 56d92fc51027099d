"""Check a butler's instructions in a ConfigMap before pods read them: they exist and have a valid length."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from butler_operator.cluster.client import Cluster
from butler_operator.control.bundles import NONE, Bundle
from butler_operator.reconcile.conditions import failed
from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.instructions import ConfigMapKeyRef, instructions_problem

__all__ = ["instructions_in", "look_at_instructions"]


def instructions_in(found: Mapping[str, Any] | None, ref: ConfigMapKeyRef) -> Bundle:
    """Return the problem of the instructions that `ref` names in its ConfigMap, or their digest."""
    here = f"ConfigMap {ref.name}"
    if found is None:
        return _wrong(
            Reason.INSTRUCTIONS_NOT_FOUND, f"no {here} in this namespace; create it with key {ref.key}"
        )
    data = found.get("data") or {}
    if ref.key not in data:
        known = ", ".join(sorted(data)) or "none"
        return _wrong(Reason.INSTRUCTIONS_NOT_FOUND, f"{here} has no key {ref.key} (keys: {known})")
    text = str(data[ref.key])
    problem = instructions_problem(text)
    if problem is not None:
        return _wrong(Reason.INSTRUCTIONS_INVALID, f"{here}, key {ref.key}, {problem}")
    return Bundle(inputs={f"{here}/{ref.key}": hashlib.sha256(text.encode()).hexdigest()[:16]})


def _wrong(reason: Reason, text: str) -> Bundle:
    return Bundle(failed(ConditionType.RESOLVED_REFS, reason, f"instructionsFrom: {text}"))


async def look_at_instructions(cluster: Cluster, namespace: str, resource: Butler | Connector) -> Bundle:
    """Check the instructions of `resource` if they are in a ConfigMap. Raises `ClusterError`s."""
    ref = resource.spec.instructions_ref if isinstance(resource, Butler) else None
    if ref is None:
        return NONE
    return instructions_in(await cluster.get("ConfigMap", namespace, ref.name), ref)
