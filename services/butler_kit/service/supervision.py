"""The owner of a process's background tasks: each is restarted with backoff, or ends the process.

Invariant: no task outlives `drain`; a crash is always logged with its task's name.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from butler_kit.telemetry import Metrics, get_logger
from butler_kit.time import Clock, wait_until_set

__all__ = ["Supervised", "Supervisor", "restart_delay_s"]

_FIRST_DELAY_S: Final = 0.5
_LAST_DELAY_S: Final = 30.0
_STEADY_S: Final = 60.0
"""A task that ran this long starts again from the first delay."""
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Supervised:
    """A background task: `run` gets the event that asks it to stop.

    `on_crash`: `restart` starts it again after a growing delay, `fatal` ends the process with exit code 1.
    `drains`: at the end the task finishes what it has begun, up to the deadline; otherwise it is cancelled.
    A task that returns before it was asked to has done its work.
    """

    name: str
    run: Callable[[asyncio.Event], Awaitable[None]]
    on_crash: Literal["restart", "fatal"] = "restart"
    drains: bool = False


def restart_delay_s(crashes: int, jitter: float) -> float:
    """Return the pause before the next start: doubling, capped at 30 s, spread by `jitter` in [0, 1)."""
    ceiling = min(_LAST_DELAY_S, _FIRST_DELAY_S * 2.0 ** min(crashes - 1, 16))
    return ceiling * (0.5 + jitter / 2)


class Supervisor:
    """Starts, watches and ends the tasks; `failed` is set when a fatal one crashed."""

    def __init__(self, *, metrics: Metrics, clock: Clock, draw: Callable[[], float] = random.random) -> None:
        self.failed = asyncio.Event()
        self._metrics = metrics
        self._clock = clock
        self._draw = draw
        self._stopping = asyncio.Event()
        self._running: dict[asyncio.Task[None], Supervised] = {}

    def start(self, tasks: Sequence[Supervised]) -> None:
        """Start the tasks; each runs until it returns, the drain, or a fatal crash."""
        for supervised in tasks:
            task = asyncio.create_task(self._keep(supervised), name=supervised.name)
            self._running[task] = supervised
            task.add_done_callback(lambda done: self._running.pop(done, None))

    async def drain(self, timeout_s: float) -> None:
        """Ask every task to stop: draining ones within `timeout_s` seconds, all others at once."""
        self._stopping.set()
        running = dict(self._running)
        for task, supervised in running.items():
            if not supervised.drains:
                task.cancel()
        if not running:
            return
        _, late = await asyncio.wait(running, timeout=max(0.0, timeout_s))
        for task in late:
            _log.warning("a background task did not finish in time", task=running[task].name)
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=1.0)

    async def _keep(self, supervised: Supervised) -> None:
        crashes = 0
        while not self._stopping.is_set():
            started = self._clock.monotonic()
            try:
                await supervised.run(self._stopping)
            except Exception:
                steady = self._clock.monotonic() - started >= _STEADY_S
                crashes = 1 if steady else crashes + 1
                _log.exception("a background task crashed", task=supervised.name, crashes=crashes)
            else:
                return
            if supervised.on_crash == "fatal":
                self.failed.set()
                return
            await wait_until_set(self._stopping, restart_delay_s(crashes, self._draw()))
            self._metrics.count("butlers.service.task_restarts", task=supervised.name)
