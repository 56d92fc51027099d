"""The standing of a watched namespace: served, or why it is not (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from butler_operator.cluster.errors import ClusterError, ClusterGone, ClusterRefused

__all__ = ["SERVED", "Standing", "Why", "of_listing", "of_namespace", "of_reading"]


class Why(StrEnum):
    """Reasons, as shown in events and log lines."""

    SERVED = "NamespaceServed"
    NOT_FOUND = "NamespaceNotFound"
    TERMINATING = "NamespaceTerminating"
    FORBIDDEN = "NamespaceForbidden"
    KINDS_MISSING = "KindsNotInstalled"
    UNREACHABLE = "ApiUnreachable"


@dataclass(frozen=True)
class Standing:
    """What one look at a namespace found; `message` says what to do."""

    why: Why
    message: str = ""

    @property
    def served(self) -> bool:
        return self.why is Why.SERVED

    @property
    def ends_the_watch(self) -> bool:
        """Whether to stop watching; a namespace being deleted, or not answered for, is still watched."""
        return self.why in (Why.NOT_FOUND, Why.FORBIDDEN, Why.KINDS_MISSING)


SERVED = Standing(Why.SERVED, "its resources are watched")


def of_namespace(name: str, body: Mapping[str, Any]) -> Standing:
    """Return the standing from the API server's Namespace object."""
    if "deletionTimestamp" in (body.get("metadata") or {}):
        return Standing(Why.TERMINATING, f"namespace {name} is being deleted")
    return SERVED


def of_reading(name: str, error: ClusterError) -> Standing:
    """Return the standing after an error reading the Namespace; if reading is denied, the listings decide."""
    if isinstance(error, ClusterGone):
        text = f"namespace {name} does not exist; it is served soon after it is created"
        return Standing(Why.NOT_FOUND, text)
    if isinstance(error, ClusterRefused):
        return SERVED
    return Standing(Why.UNREACHABLE, error.message)


def of_listing(name: str, kind: str, error: ClusterError) -> Standing:
    """Return the standing after an error listing a kind in the namespace."""
    if isinstance(error, ClusterGone):
        text = f"{kind} is not installed; install the chart butlers-crds"
        return Standing(Why.KINDS_MISSING, text)
    if isinstance(error, ClusterRefused):
        text = f"the operator has no rights in namespace {name}; helm upgrade the release, or bind its role: "
        return Standing(Why.FORBIDDEN, text + error.message)
    return Standing(Why.UNREACHABLE, error.message)
