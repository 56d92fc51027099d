"""Asks Messenger how its channels stand; its last word is kept while it does not answer."""

from __future__ import annotations

from typing import Any, Final

from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsError
from butler_operator.reconcile.registry import MESSENGER

__all__ = ["Channels"]

_TIMEOUT_S: Final = 3.0
"""It is an extra: the beat does not wait long for it."""


class Channels:
    """By namespace, for the registry's beat."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._said: dict[str, list[dict[str, Any]]] = {}

    async def of(self, namespace: str) -> list[dict[str, Any]] | None:
        """What Messenger says now or said last; None without one, and of one that has never said anything."""
        if self._runtime.observed.get("Butler", namespace, MESSENGER) is None:
            self._said.pop(namespace, None)
            return None
        try:
            ops = self._runtime.ops(namespace, MESSENGER)
            answer = await ops.request("GET", "/channels", timeout_s=_TIMEOUT_S)
        except OpsError:
            return self._said.get(namespace)
        self._said[namespace] = answer.get("channels") or []
        return self._said[namespace]
