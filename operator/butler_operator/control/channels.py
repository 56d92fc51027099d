"""Ask Messenger for the state of its channels; its last answer is kept while it does not answer."""

from __future__ import annotations

from typing import Any, Final

from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsError
from butler_operator.reconcile.registry import MESSENGER

__all__ = ["Channels"]

_TIMEOUT_S: Final = 3.0
"""Short, because the channels are an extra that the beat must not wait long for."""


class Channels:
    """Channel states by namespace, for the registry's beat."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._said: dict[str, list[dict[str, Any]]] = {}

    async def of(self, namespace: str) -> list[dict[str, Any]] | None:
        """Return Messenger's current or last answer; None without a Messenger or before its first answer."""
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
