"""The finalizer of what Switchboard holds state about: taken before that state can exist, let go when it is released.

Invariant: a deletion never hangs: after `finalizer_deadline_s`, or when the household's Switchboard is going too, the
finalizer is let go, and the registry is tidied by the next beat that reaches it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Protocol

from butler_kit.telemetry import get_logger
from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsNotFound, OpsRefused, OpsUnavailable
from butler_operator.reconcile.notices import Notice
from butler_operator.reconcile.outcome import Outcome, done, requeue
from butler_resources.kinds.names import FINALIZER

__all__ = ["Registers", "Release"]

_log = get_logger(__name__)
RETRY_S: Final = 5.0
Body = dict[str, Any]


class Registers(Protocol):
    """Where Switchboard's state about a resource is given up. `forget` raises `OpsError`s."""

    async def forget(self, body: Body) -> None: ...

    def has_switchboard(self, namespace: str) -> bool: ...


class Release:
    """`hold` while a resource lives, `finish` when it is being deleted."""

    def __init__(self, runtime: Runtime, registry: Registers) -> None:
        self._runtime = runtime
        self._registry = registry

    async def hold(self, body: Body) -> Body:
        """The resource with our finalizer."""
        finalizers = list(body["metadata"].get("finalizers") or [])
        if FINALIZER in finalizers:
            return body
        return await self._write(body, [*finalizers, FINALIZER])

    async def finish(self, body: Body) -> Outcome:
        """Release what Switchboard holds, then let the deletion go on."""
        if FINALIZER not in (body["metadata"].get("finalizers") or []):
            return done()
        try:
            await self._registry.forget(body)
        except OpsNotFound:
            pass
        except (OpsUnavailable, OpsRefused) as error:
            left_s = self._left_s(body)
            if left_s > 0 and self._registry.has_switchboard(body["metadata"]["namespace"]):
                return requeue(min(RETRY_S, left_s), error.message)
            await self._tell_let_go(body, error.message)
        rest = [name for name in body["metadata"]["finalizers"] if name != FINALIZER]
        await self._write(body, rest)
        return done()

    async def _write(self, body: Body, finalizers: list[str]) -> Body:
        written = await self._runtime.cluster.write_finalizers(body, finalizers)
        self._runtime.metrics.count("butlers.operator.writes", kind=body["kind"], verb="finalizer")
        if written.get("metadata", {}).get("resourceVersion"):
            self._runtime.observed.put(written)
        return written

    def _left_s(self, body: Body) -> float:
        since = datetime.fromisoformat(str(body["metadata"]["deletionTimestamp"]))
        spent = (self._runtime.clock.now() - since).total_seconds()
        return self._runtime.settings.finalizer_deadline_s - spent

    async def _tell_let_go(self, body: Body, why: str) -> None:
        text = f"deleted although Switchboard was not told: {why}"
        _log.warning("let_go", kind=body["kind"], name=body["metadata"]["name"], problem=why)
        await self._runtime.events.record(body, Notice("Warning", "LetGo", text, action="Delete"))
