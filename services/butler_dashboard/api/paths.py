"""Paths with an endpoint identity in them, which may hold any character, a slash too.

A path is matched as it was sent, before percent-decoding: `%2F` is part of an identity, `/` divides. So
`mail%2Fstats` is an identity and `mail/stats` are the statistics of `mail`.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

__all__ = ["SentPathRoute"]


class SentPathRoute(APIRoute):
    """A route that matches the path as it was sent and decodes each parameter once."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        sent = scope.get("raw_path")
        if not sent:
            return super().matches(scope)
        match, child = super().matches({**scope, "path": sent.partition(b"?")[0].decode("latin-1")})
        if "path_params" in child:
            given: dict[str, Any] = scope.get("path_params", {})
            child["path_params"] = {
                name: value if name in given else unquote(value)
                for name, value in child["path_params"].items()
            }
        return match, child
