"""Ask Switchboard for the state of runtimes if a butler's manifest names a family other than rules (D28)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsClient, OpsRefused

__all__ = ["runtime_word"]


async def runtime_word(runtime: Runtime, namespace: str, ops: OpsClient) -> Mapping[str, Any] | None:
    """Return Switchboard's runtime state, with the butlers'; None if not needed, or if Switchboard is too old.

    Raises `OpsUnavailable`.
    """
    if all(_family(body) == "rules" for body in runtime.observed.of_kind("Butler", namespace)):
        return None
    try:
        return await ops.request("GET", "/runtime")
    except OpsRefused:
        return None


def _family(body: Mapping[str, Any]) -> str:
    configured = (body.get("spec") or {}).get("runtime") or {}
    return str(configured.get("family", "rules"))
