"""The operator's own long-running tasks: resync, namespaces, pages, and while leading the queue and the beat.

A task that ends by itself is a defect; it is logged, and the liveness probe fails until the pod is replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.control.kinds import Parts
from butler_operator.control.pages import serve_pages
from butler_operator.control.resync import ANEW_AFTER
from butler_operator.control.runtime import Runtime
from butler_operator.control.watching import Watching
from butler_operator.leadership import Leadership
from butler_operator.leadership.lease import Terms

__all__ = ["Tasks"]

_log = get_logger(__name__)

STUCK_S: Final = 300.0
"""That no run ends for this long while a key is due proves that the workers are stuck: each has a shorter deadline."""
ROUNDS_BEHIND: Final = 2 * ANEW_AFTER
"""Watching anew did not help either."""


class Tasks:
    """Owner of the tasks; `start` once, `stop` at the end."""

    def __init__(self, runtime: Runtime, parts: Parts, watching: Watching) -> None:
        self._runtime = runtime
        self._parts = parts
        self._watching = watching
        self._tasks: list[asyncio.Task[None]] = []
        self._leadership = _leadership_of(runtime)
        self._has_led = False

    def start(self) -> None:
        """Start every task in the running loop."""
        self._add("leadership", self._leadership.run(leading=self._lead))
        self._add("resync", self._parts.resync.run())
        self._add("namespaces", self._watching.run())
        self._add("reload", self._parts.reload.run())
        self._add("pages", serve_pages(self._runtime, self.problems))

    async def _lead(self) -> None:
        """Do the leader's work. Standby operators receive every event too, but write nothing."""
        again, self._has_led = self._has_led, True
        async with asyncio.TaskGroup() as group:
            group.create_task(self._runtime.queue.run(), name="queue")
            group.create_task(self._parts.registry.run(), name="registry")
            if again:
                group.create_task(self._parts.resync.now(), name="catch-up")

    def _add(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        task.add_done_callback(_tell_end)
        self._tasks.append(task)

    async def stop(self) -> None:
        """Cancel every task and wait for it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def problems(self) -> list[str]:
        """Return why this process should be replaced; empty while it works."""
        problems = [f"task {task.get_name()} has ended" for task in self._tasks if task.done()]
        still_s = self._runtime.queue.stands_still_s()
        if still_s > STUCK_S and self._leadership.holds():
            problems.append(f"keys are due, and no worker has ended one for {still_s:.0f} s")
        resync = self._parts.resync
        age_s = self._runtime.clock.monotonic() - resync.last_round
        self._runtime.metrics.set("butlers.operator.resync_age_seconds", age_s)
        if resync.rounds_behind >= ROUNDS_BEHIND:
            problems.append(f"every watch missed changes {resync.rounds_behind} resyncs in a row")
        return problems


def _leadership_of(runtime: Runtime) -> Leadership:
    settings = runtime.settings
    return Leadership(
        runtime.cluster,
        clock=runtime.clock,
        metrics=runtime.metrics,
        namespace=settings.operator_namespace or next(iter(settings.namespaces), "default"),
        name=settings.lease,
        terms=Terms(settings.lease_s),
        identity=settings.identity,
    )


def _tell_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        _log.error("task_ended", task=task.get_name(), problem=repr(task.exception()))
