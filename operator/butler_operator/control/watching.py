"""Serve each namespace in its own task: check it, watch until the watch ends, check again (ADR 0044).

Invariants: nothing that happens to one namespace ends the process or holds up another; a namespace that is not
watched is not reconciled, and nothing is deleted in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from butler_kit.telemetry import get_logger
from butler_operator.control.namespaces import Namespaces, look
from butler_operator.control.runtime import Runtime
from butler_operator.control.selection import Selection

__all__ = ["Watching"]

_log = get_logger(__name__)
FIRST_S: Final = 1.0
"""Initial pause between checks of a namespace that is not served; doubled each time, up to `retry_s`."""
STEADY_S: Final = 60.0
LOOK_S: Final = 30.0
"""How often a watched namespace is checked: a watch on something deleted stays silent for a long time."""


class Watching:
    """`run` owns the tasks; `watch` watches one namespace and ends only by failing."""

    def __init__(self, runtime: Runtime, watch: Callable[[str], Awaitable[None]]) -> None:
        self._runtime = runtime
        self._watch = watch
        self._selection = Selection(runtime.cluster, runtime.settings)
        self.namespaces = Namespaces(
            runtime.cluster, runtime.events, runtime.metrics, home=runtime.settings.operator_namespace
        )
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Serve the wanted namespaces until cancelled."""
        try:
            while True:
                wanted = await self._selection.wanted()
                for namespace in self._tasks.keys() - wanted:
                    await self._let_go(namespace)
                for namespace in sorted(wanted):
                    self._start(namespace)
                await asyncio.sleep(self._runtime.settings.beat_s)
        finally:
            await _cancelled(*self._tasks.values())

    def _start(self, namespace: str) -> None:
        task = self._tasks.get(namespace)
        if task is not None and not task.done():
            return
        if task is not None:
            _log.error("namespace_task_ended", namespace=namespace, problem=repr(task.exception()))
        self._tasks[namespace] = asyncio.create_task(self._keep(namespace), name=f"namespace-{namespace}")

    async def _let_go(self, namespace: str) -> None:
        await _cancelled(self._tasks.pop(namespace))
        await self.namespaces.let_go(namespace)

    async def _keep(self, namespace: str) -> None:
        clock, pause_s = self._runtime.clock, FIRST_S
        while True:
            standing = await look(self._runtime.cluster, namespace)
            await self.namespaces.tell(namespace, standing)
            began = clock.monotonic()
            if standing.served:
                await self._serve(namespace)
            steady = clock.monotonic() - began > STEADY_S
            pause_s = FIRST_S if steady else min(pause_s * 2, self._runtime.settings.retry_s)
            await asyncio.sleep(pause_s)

    async def _serve(self, namespace: str) -> None:
        """Watch until the watch fails, or until a check finds it to be of no use."""
        watch = asyncio.ensure_future(self._watch(namespace))
        self._runtime.served.add(namespace)
        try:
            while not (await asyncio.wait({watch}, timeout=LOOK_S))[0]:
                standing = await look(self._runtime.cluster, namespace)
                await self.namespaces.tell(namespace, standing)
                if standing.ends_the_watch:
                    return
                if namespace in self._runtime.stale:
                    _log.warning("watched_anew", namespace=namespace)
                    return
            _log.warning("watch_ended", namespace=namespace, problem=repr(watch.exception()))
        finally:
            self._runtime.forget(namespace)
            await _cancelled(watch)
            # Drop what its last handlers recorded.
            self._runtime.forget(namespace)


async def _cancelled(*tasks: asyncio.Future[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
