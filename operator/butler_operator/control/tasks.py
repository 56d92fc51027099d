"""The operator's own long-running tasks: the queue's workers, the resync, the registry's beat, the metrics' server.

A task that ends by itself is a defect; it is logged, and the liveness probe says so until the pod is replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.control.runtime import Runtime

__all__ = ["Tasks", "health_problems"]

_log = get_logger(__name__)

STUCK_S: Final = 300.0
"""A due key that no worker takes for this long proves that the workers are stuck: each run has a shorter deadline."""


class Tasks:
    """Owner of the tasks; `start` once, `stop` at the end."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._add("queue", self._runtime.queue.run())

    def _add(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        task.add_done_callback(_tell_end)
        self._tasks.append(task)

    def ended(self) -> list[str]:
        """Names of tasks that have ended."""
        return [task.get_name() for task in self._tasks if task.done()]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _tell_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        _log.error("task_ended", task=task.get_name(), problem=repr(task.exception()))


def health_problems(runtime: Runtime, tasks: Tasks) -> list[str]:
    """Why this process should be replaced; empty while it works."""
    problems = [f"task {name} has ended" for name in tasks.ended()]
    waited = runtime.queue.oldest_wait_s()
    if waited > STUCK_S:
        problems.append(f"a key has waited {waited:.0f} s for a worker")
    return problems
