"""The shell of every process: one port, health pages, supervised tasks, an ordered end (CON-5).

Invariant: SIGTERM ends it in this order: not ready, intake stopped, background drained, resources closed,
exit code 0; every step has a deadline. `port=0` takes a free port, known as `port` once started.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from butler_contracts.errors import ButlerError
from butler_kit.auth.errors import KeyFileError
from butler_kit.config.errors import ConfigError
from butler_kit.service.checks import Readiness, ReadyCheck, run_checks
from butler_kit.service.health import HealthPages, watch_event_loop
from butler_kit.service.server import EmbeddedServer, PortUnavailable, bind
from butler_kit.service.supervision import Supervised, Supervisor
from butler_kit.telemetry import Metrics, exported, get_logger, shutdown_tracing
from butler_kit.time import Clock, SystemClock

__all__ = ["DrainLimits", "ServiceApp", "run_service"]

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DrainLimits:
    """Seconds that each step of the shutdown may take; with the last exports below Kubernetes' 30 s of grace."""

    intake_s: int = 5
    background_s: float = 15.0
    close_s: float = 3.0


class ServiceApp:
    """One process's shell.

    `routes` are served beside the health pages; `front` builds another application from those. `resources` (pools,
    session managers) are entered in order before anything is served and left in reverse. `background` starts once the
    port serves. `on_drain` is called when the shutdown begins, so that long-lived streams can be closed.
    """

    def __init__(
        self,
        *,
        name: str,
        host: str,
        port: int,
        metrics: Metrics,
        routes: Sequence[BaseRoute] = (),
        front: Callable[[HealthPages], ASGIApp] | None = None,
        ready_checks: Mapping[str, ReadyCheck] | None = None,
        resources: Sequence[AbstractAsyncContextManager[Any]] = (),
        background: Sequence[Supervised] = (),
        on_drain: Sequence[Callable[[], None]] = (),
        limits: DrainLimits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.name = name
        self.port = port
        self.started = asyncio.Event()
        self._host = host
        self._metrics = metrics
        self._routes = tuple(routes)
        self._front = front
        self._checks = dict(ready_checks or {})
        self._resources = tuple(resources)
        self._background = tuple(background)
        self._on_drain = tuple(on_drain)
        self._limits = limits or DrainLimits()
        self._clock = clock or SystemClock()
        self._stop = asyncio.Event()
        self._opening: asyncio.Task[Any] | None = None

    def request_stop(self) -> None:
        """Begin the ordered shutdown; safe to call at any time, even while the process is starting."""
        self._stop.set()
        if self._opening is not None:
            self._opening.cancel()

    async def readiness(self) -> Readiness:
        """Say whether requests can be served now, and what is missing."""
        if self._stop.is_set() or not self.started.is_set():
            return Readiness(False, {"service": "draining" if self._stop.is_set() else "starting"})
        return await run_checks(self._checks)

    async def serve(self, *, signals: bool = False) -> int:
        """Serve until stopped; return the exit code. With `signals`, SIGTERM and SIGINT stop it."""
        listening = bind(self._host, self.port)
        self.port = listening.getsockname()[1]
        server = EmbeddedServer(self._asgi(), stop_timeout_s=self._limits.intake_s)
        if signals:
            server.listen_for_signals(self.request_stop)
        try:
            async with AsyncExitStack() as stack:
                stack.enter_context(exported(self._metrics))
                if not await self._open(stack):
                    return 0
                serving = asyncio.create_task(server.serve([listening]), name=f"{self.name}-http")
                return await self._run(server, serving)
        finally:
            listening.close()
            shutdown_tracing()

    def _asgi(self) -> ASGIApp:
        pages = HealthPages(self.readiness, self._metrics)
        if self._front is not None:
            return self._front(pages)
        return Starlette(routes=[*pages.routes(), *self._routes])

    async def _open(self, stack: AsyncExitStack) -> bool:
        """Enter the resources; return False when the stop came first."""
        self._opening = asyncio.current_task()
        try:
            for resource in self._resources:
                await stack.enter_async_context(_bounded(resource, self._limits.close_s))
        except asyncio.CancelledError:
            if not self._stop.is_set() or self._opening is None:
                raise
            self._opening.uncancel()
            return False
        finally:
            self._opening = None
        return not self._stop.is_set()

    async def _run(self, server: EmbeddedServer, serving: asyncio.Task[None]) -> int:
        supervisor = Supervisor(metrics=self._metrics, clock=self._clock)
        try:
            await _first_of(serving, server.serving)
            supervisor.start([self._loop_watch(), *self._background])
            self._tell_ready(True)
            _log.info("serving", port=self.port)
            await _first_of(serving, self._stop, supervisor.failed)
        finally:
            wanted = self._stop.is_set()
            await self._drain(server, serving, supervisor)
        return 0 if wanted and not supervisor.failed.is_set() else 1

    def _loop_watch(self) -> Supervised:
        return Supervised(
            "event-loop-watch",
            lambda stopping: watch_event_loop(stopping, metrics=self._metrics, clock=self._clock),
        )

    async def _drain(
        self, server: EmbeddedServer, serving: asyncio.Task[None], supervisor: Supervisor
    ) -> None:
        self._stop.set()
        self._tell_ready(False)
        _log.info("draining")
        for hook in self._on_drain:
            hook()
        server.end()
        # uvicorn cancels what is left at its own deadline; the second is for its bookkeeping.
        await asyncio.wait({serving}, timeout=self._limits.intake_s + 1)
        serving.cancel()
        await supervisor.drain(self._limits.background_s)
        _log.info("drained")

    def _tell_ready(self, ready: bool) -> None:
        if ready:
            self.started.set()
        self._metrics.set("butlers.service.ready", 1 if ready else 0)


def run_service(build: Callable[[], ServiceApp]) -> int:
    """Build the service inside a uvloop loop, serve until a signal, return the exit code.

    A fault that a person can correct (configuration, keys, port, an unreachable store) is one line on stderr, exit 1.
    """
    import uvloop

    async def main() -> int:
        return await build().serve(signals=True)

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(main())
    except (ConfigError, KeyFileError, PortUnavailable, ButlerError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


async def _first_of(serving: asyncio.Task[None], *events: asyncio.Event) -> None:
    """Wait until the server ends or one of the events is set."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait({serving, *waits}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


@asynccontextmanager
async def _bounded(resource: AbstractAsyncContextManager[Any], close_s: float) -> AsyncIterator[Any]:
    """Enter a resource; closing it may take `close_s` seconds, and its failure does not stop the others'."""
    value = await resource.__aenter__()
    try:
        yield value
    finally:
        try:
            async with asyncio.timeout(close_s):
                await resource.__aexit__(None, None, None)
        except Exception:
            _log.exception("a resource did not close", resource=type(resource).__name__)
