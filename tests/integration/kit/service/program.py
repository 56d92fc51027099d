"""A small service for the tests of the process shell; it tells on stdout what happens, in order."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from butler_kit.config import ConfigError, ConfigProblem
from butler_kit.service import ServiceApp, Supervised, run_service
from butler_kit.telemetry import Metrics, configure_logging, configure_metrics

CRASH = asyncio.Event()


def tell(text: str) -> None:
    print(text, flush=True)


@asynccontextmanager
async def pool(name: str, hangs: bool = False) -> AsyncIterator[None]:
    tell(f"{name} opening")
    if hangs:
        await asyncio.Event().wait()
    yield
    tell(f"{name} closed")


async def slow(request: Request) -> PlainTextResponse:
    tell("request begun")
    await asyncio.sleep(float(request.query_params["seconds"]))
    return PlainTextResponse("answered")


async def worker(stopping: asyncio.Event) -> None:
    tell("worker begun")
    await stopping.wait()
    await asyncio.sleep(0.05)
    tell("worker drained")


async def crash(_: asyncio.Event) -> None:
    raise RuntimeError("the schema is gone")


async def check() -> str | None:
    return None


def build() -> ServiceApp:
    mode, port = sys.argv[1], int(sys.argv[2])
    if mode == "misconfigured":
        raise ConfigError("butler.toml", [ConfigProblem("butler.port", "is missing", "add it")])
    configure_logging("program", "info", "json")
    configure_metrics("program", os.environ)
    tasks = [Supervised("worker", worker, drains=True)]
    if mode == "fatal":
        tasks.append(Supervised("crash", crash, on_crash="fatal"))
    app = ServiceApp(
        name="program",
        host="127.0.0.1",
        port=port,
        metrics=Metrics([]),
        routes=[Route("/slow", slow)],
        ready_checks={"database": check},
        resources=[pool("first"), pool("second", hangs=mode == "hangs")],
        background=[*tasks, Supervised("tell-port", lambda _: tell_port(app))],
        on_drain=[lambda: tell("draining")],
    )
    return app


async def tell_port(app: ServiceApp) -> None:
    tell(f"port {app.port}")


if __name__ == "__main__":
    sys.exit(run_service(build))
