"""The health pages as FastAPI routes, and an application that many processes share (CNX-09.5).

An application is built when its module is imported, so the process that a household forks from has built it already.
Invariant: it holds nothing of a process; what an endpoint works on is handed in with the request (`inputs.handed`).
"""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from butler_kit.ops.app import OpsRoute
from butler_kit.ops.inputs import handed
from butler_kit.ops.routes import HANDED
from butler_kit.service.health import HealthPages

__all__ = ["HEALTH", "WorkingOn"]

HEALTH: Final = APIRouter(route_class=OpsRoute, tags=["health"])
"""`/healthz`, `/readyz` and `/metrics` of the process that hands its `HealthPages` in."""

Pages = Annotated[HealthPages, handed(HealthPages)]


class WorkingOn:
    """ASGI: the application, with what its endpoints work on in this process."""

    def __init__(self, app: ASGIApp, *things: object) -> None:
        self._app = app
        self._handed = {type(thing): thing for thing in things}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, HANDED: self._handed}, receive, send)


@HEALTH.get("/healthz")
async def healthz(request: Request, pages: Pages) -> Response:
    """Whether the process lives."""
    return await pages.healthz(request)


@HEALTH.get("/readyz", responses={503: {"description": "Something is missing; the answer names it."}})
async def readyz(request: Request, pages: Pages) -> Response:
    """Whether it can do its work now, check by check."""
    return await pages.readyz(request)


@HEALTH.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request, pages: Pages) -> Response:
    """Its metrics, in Prometheus' text format."""
    return await pages.metrics(request)
