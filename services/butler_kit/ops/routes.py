"""Where an ops API stands in a service: behind the tool server's guard, imported when somebody asks.

A pod that nobody asks anything does not hold FastAPI in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["ops_routes"]

_BELOW: Final = "/ops/v1/{path:path}"


class Guarding(Protocol):
    """The tool server, as far as it stands before other applications."""

    def guard(self, app: ASGIApp, *, json_posts: bool = False) -> ASGIApp: ...


class _WhenAsked:
    """An application that is made at its first request."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make = make
        self._made: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._made is None:
            self._made = self._make()
        # What matched this application's own place is nothing of its paths.
        await self._made({**scope, "path_params": {}}, receive, send)


def ops_routes(server: Guarding, make: Callable[[], ASGIApp]) -> list[BaseRoute]:
    """The one route of a service's ops API; `make` is asked once, with the first request that has a token."""
    return [Route(_BELOW, endpoint=server.guard(_WhenAsked(make), json_posts=True))]
