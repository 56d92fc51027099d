"""The other two processes of the benchmark: `python -m bench.runtimes.served switchboard|model`; each prints its port.

`switchboard` is the whole service with the `butler.toml` that the environment names. `model` is a server that answers
at once, or after a requested pause, and reports when it was asked: its processor time does not count.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs

import uvloop
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from bench.heartbeats.served import serve_switchboard
from butler_kit.telemetry import configure_logging
from tests.support.loopback import LoopbackServer, terminated
from tests.support.model_api import ModelServer

__all__ = ["CONFIG", "PACE"]

CONFIG: Final = "BENCH_BUTLER_TOML"
PACE: Final = "/pace"
"""`POST /pace?s=0.3`: delay answers by that many seconds from now on; returns the times of questions since the last."""


class _Paced:
    """`app` with delayed answers; `asked` are the times of the questions, by the system clock."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._pause_s = 0.0
        self._asked: list[float] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            return await self._app(scope, receive, send)
        if scope["path"] == PACE:
            return await self._paced(scope, receive, send)
        self._asked.append(time.time())
        await asyncio.sleep(self._pause_s)
        return await self._app(scope, receive, send)

    async def _paced(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._pause_s = float(parse_qs(scope["query_string"].decode())["s"][0])
        asked, self._asked = self._asked, []
        await JSONResponse(asked)(scope, receive, send)


async def _model() -> None:
    async with LoopbackServer(_Paced(ModelServer("last").app())) as server:
        print(server.port, flush=True)
        await terminated()


if __name__ == "__main__":
    configure_logging("switchboard", "info", "json", sys.stderr)
    environment = dict(os.environ)
    if sys.argv[1] == "model":
        uvloop.run(_model())
    else:
        uvloop.run(serve_switchboard(environment, Path(environment[CONFIG]).read_text("utf-8")))
