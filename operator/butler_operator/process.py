"""The operator's process: what it starts, what it waits for, and the shutdown order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from butler_kit.telemetry import exported, get_logger
from butler_operator.control.kinds import register_all
from butler_operator.control.runtime import Runtime
from butler_operator.control.tasks import Tasks
from butler_operator.control.watching import Watching
from butler_operator.handlers.watching import watch_namespace

__all__ = ["serve", "signals_set"]

_log = get_logger(__name__)
END_S = 25.0
"""Less than the pod's grace period, with the last export; a key that is cut short is reconciled at the next start."""


async def serve(
    runtime: Runtime, *, stop: asyncio.Event, claim_signals: Callable[[], None] = lambda: None
) -> None:
    """Run until `stop` is set, then close everything that was opened."""

    async def watch(namespace: str) -> None:
        await watch_namespace(namespace, runtime, claim_signals=claim_signals)

    claim_signals()
    tasks = Tasks(runtime, register_all(runtime), Watching(runtime, watch))
    tasks.start()
    _log.info("operator_started", namespaces=list(runtime.settings.namespaces))
    with exported(runtime.metrics):
        try:
            await stop.wait()
        finally:
            async with asyncio.timeout(END_S):
                await tasks.stop()
                await runtime.close()
            _log.info("operator_ended")


def signals_set(stop: asyncio.Event) -> Callable[[], None]:
    """Return a callable that makes SIGINT and SIGTERM set `stop`; it may be called repeatedly."""
    loop = asyncio.get_running_loop()

    def claim() -> None:
        for one in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(one, stop.set)

    return claim
