"""kstatus, by which Helm and Flux judge a custom resource: its rules for any kind (`GetStatus`), and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["Verdict", "kstatus_of"]

Verdict = Literal["Current", "InProgress", "Failed"]


def kstatus_of(body: Mapping[str, Any]) -> Verdict:
    """What kstatus makes of an object that is not being deleted."""
    status = body.get("status") or {}
    observed = status.get("observedGeneration")
    if observed is not None and observed != body["metadata"]["generation"]:
        return "InProgress"
    told = {one["type"]: one["status"] for one in status.get("conditions") or []}
    if told.get("Reconciling") == "True":
        return "InProgress"
    if told.get("Stalled") == "True":
        return "Failed"
    return "InProgress" if told.get("Ready", "True") != "True" else "Current"
