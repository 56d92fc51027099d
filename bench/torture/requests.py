"""Classifies the operator's requests: a write that counts, a watch, a list; and puts a list's pages together (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.operator.audit import Call

__all__ = ["Listing", "changes_something", "counts_as_write", "is_watch", "listing_of", "one_page"]

_WRITES: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_NO_CHANGE: Final = re.compile(r"^/apis/(authorization|authentication)\.k8s\.io/|/token$|/leases(/|$)")
"""Queries sent by POST, and the Lease, which is always renewed."""
_COLLECTION: Final = re.compile(r"^/(?:api|apis/[^/]+)/[^/]+/namespaces/[^/]+/(?P<plural>[a-z]+)$")
_SELECTORS: Final = ("labelSelector", "fieldSelector")
_OF_A_PAGE: Final = ("continue", "remainingItemCount")


def counts_as_write(method: str, path: str) -> bool:
    """Return whether it changes something that reconciling is about."""
    return method in _WRITES and not _NO_CHANGE.search(path)


def changes_something(call: Call) -> bool:
    """The same for a call in the audit log."""
    asks = call.resource.endswith(("accessreviews", "tokenreviews", "/token"))
    return call.is_write and call.resource != "leases" and not asks


def is_watch(query: Mapping[str, str]) -> bool:
    return query.get("watch", "").lower() in ("true", "1")


@dataclass(frozen=True)
class Listing:
    """What a list asks for, whichever page: two requests with the same one get the same objects."""

    plural: str
    path: str
    selectors: tuple[tuple[str, str], ...]
    accept: str


def listing_of(method: str, path: str, query: Mapping[str, str], accept: str) -> Listing | None:
    """Return what a request lists within a namespace; None for anything else, a watch too."""
    found = _COLLECTION.search(path)
    if method != "GET" or found is None or is_watch(query):
        return None
    selectors = tuple(sorted((name, query[name]) for name in _SELECTORS if name in query))
    return Listing(found["plural"], path, selectors, accept)


def one_page(pages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the pages of a list as one, which has no next."""
    first = pages[0]
    metadata = {key: said for key, said in first["metadata"].items() if key not in _OF_A_PAGE}
    items = [item for page in pages for item in page.get("items") or ()]
    return {**first, "metadata": metadata, "items": items}
