"""Asks Switchboard how its runtime stands, where its manifest names another family than rules (D28)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsClient, OpsRefused
from butler_operator.reconcile.registry import SWITCHBOARD

__all__ = ["runtime_word"]


async def runtime_word(runtime: Runtime, namespace: str, ops: OpsClient) -> Mapping[str, Any] | None:
    """Its word now; None where there is nothing to ask, and of one that is too old to know the question.

    Raises `OpsUnavailable`.
    """
    body = runtime.observed.get("Butler", namespace, SWITCHBOARD) or {}
    configured = (body.get("spec") or {}).get("runtime") or {}
    if configured.get("family", "rules") == "rules":
        return None
    try:
        return await ops.request("GET", "/runtime")
    except OpsRefused:
        return None
