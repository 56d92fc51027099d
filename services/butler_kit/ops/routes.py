"""The ops API within a service: behind the tool server's guard, imported at the first request.

Its application belongs to its module and is made without the service, which hands in what the paths work on with each
call: so forked processes share it, and a pod that gets no such request does not hold FastAPI in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["HANDED", "ops_routes"]

_BELOW: Final = "/ops/v1/{path:path}"
HANDED: Final = "butlers.handed"
"""The key in a call's scope for the objects handed in, by type."""


class Guarding(Protocol):
    """The part of the tool server that guards other applications."""

    def guard(self, app: ASGIApp, *, json_posts: bool = False) -> ASGIApp: ...


class _WhenAsked:
    """An application that is loaded at its first request, with the objects of one service."""

    def __init__(self, load: Callable[[], ASGIApp], hands: Callable[[], Mapping[type[Any], Any]]) -> None:
        self._load, self._hands = load, hands
        self._ready: tuple[ASGIApp, Mapping[type[Any], Any]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._ready is None:
            self._ready = self._load(), self._hands()
        app, handed = self._ready
        # The parameters of this application's own route do not belong to its paths.
        await app({**scope, "path_params": {}, HANDED: handed}, receive, send)


def ops_routes(
    server: Guarding, load: Callable[[], ASGIApp], hands: Callable[[], Mapping[type[Any], Any]]
) -> list[BaseRoute]:
    """Return the route of a service's ops API; `load` and `hands` run once, at the first valid request."""
    return [Route(_BELOW, endpoint=server.guard(_WhenAsked(load, hands), json_posts=True))]
