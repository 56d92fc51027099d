"""Classifies the operator's requests: a write that counts, or a watch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from bench.operator.audit import Call

__all__ = ["changes_something", "counts_as_write", "is_watch"]

_WRITES: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_NO_CHANGE: Final = re.compile(r"^/apis/(authorization|authentication)\.k8s\.io/|/token$|/leases(/|$)")
"""Queries sent by POST, and the Lease, which is always renewed."""


def counts_as_write(method: str, path: str) -> bool:
    """Return whether it changes something that reconciling is about."""
    return method in _WRITES and not _NO_CHANGE.search(path)


def changes_something(call: Call) -> bool:
    """The same for a call in the audit log."""
    asks = call.resource.endswith(("accessreviews", "tokenreviews", "/token"))
    return call.is_write and call.resource != "leases" and not asks


def is_watch(query: Mapping[str, str]) -> bool:
    return query.get("watch", "").lower() in ("true", "1")
