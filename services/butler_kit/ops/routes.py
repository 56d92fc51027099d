"""Where an ops API stands in a service: behind the tool server's guard, imported when somebody asks.

Its application is one of the module, made without the service, which hands in what the paths work on with each call:
so processes that are forked share it, and a pod that nobody asks anything does not hold FastAPI in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["HANDED", "ops_routes"]

_BELOW: Final = "/ops/v1/{path:path}"
HANDED: Final = "butlers.handed"
"""Where a call's scope has what was handed in, by type."""


class Guarding(Protocol):
    """The tool server, as far as it stands before other applications."""

    def guard(self, app: ASGIApp, *, json_posts: bool = False) -> ASGIApp: ...


class _WhenAsked:
    """An application that is loaded at its first request, with what one service hands in."""

    def __init__(self, load: Callable[[], ASGIApp], hands: Callable[[], Mapping[type[Any], Any]]) -> None:
        self._load, self._hands = load, hands
        self._ready: tuple[ASGIApp, Mapping[type[Any], Any]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._ready is None:
            self._ready = self._load(), self._hands()
        app, handed = self._ready
        # What matched this application's own place is nothing of its paths.
        await app({**scope, "path_params": {}, HANDED: handed}, receive, send)


def ops_routes(
    server: Guarding, load: Callable[[], ASGIApp], hands: Callable[[], Mapping[type[Any], Any]]
) -> list[BaseRoute]:
    """The one route of a service's ops API; both are asked once, with the first request that has a token."""
    return [Route(_BELOW, endpoint=server.guard(_WhenAsked(load, hands), json_posts=True))]
