"""Query parameters of a page, and the addresses of the pages beside it (pure).

A value that no form produces is ignored rather than refused: an address that a person shortened still works.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request

from butler_dashboard.reads.page import CURSOR_MAX

__all__ = ["Listing", "one_of", "since_of"]

T = TypeVar("T", bound=str)
_SINCE: Final = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7)}


def one_of(request: Request, name: str, known: Sequence[T]) -> T | None:
    """Return the value of `name` if it is one of `known`."""
    asked = request.query_params.get(name)
    return next((value for value in known if value == asked), None)


def since_of(request: Request, now: datetime) -> datetime | None:
    """Return the moment that the parameter `since` starts from."""
    back = _SINCE.get(request.query_params.get("since", ""))
    return None if back is None else now - back


class Listing:
    """A page of a list: where it begins, and the addresses of the newest and the next one with the same filters."""

    def __init__(self, request: Request) -> None:
        self._path = request.url.path
        self._query = {
            name: value for name, value in request.query_params.items() if value and name != "cursor"
        }
        asked = request.query_params.get("cursor", "")
        self.cursor = asked if 0 < len(asked) <= CURSOR_MAX else None

    def links(self, next_cursor: str | None) -> dict[str, str | None]:
        """Return the addresses `newest`, unless this is it, and `older`, if there is more."""
        older = {**self._query, "cursor": next_cursor} if next_cursor else None
        return {
            "newest": self._address(self._query) if self.cursor else None,
            "older": self._address(older) if older else None,
        }

    def _address(self, query: dict[str, str]) -> str:
        return f"{self._path}?{urlencode(query)}" if query else self._path
