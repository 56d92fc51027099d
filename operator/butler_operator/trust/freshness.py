"""Find the pods to wake so that a changed trust document takes effect within a minute (CNX-16.2). Pure.

A kubelet refreshes a pod's volumes every 60 to 90 s by itself, and at once when the pod object changes. An annotation
is such a change and restarts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from butler_operator.trust.document import CHANGED_AT

__all__ = ["SEEN", "pods_to_wake"]

SEEN: Final = CHANGED_AT
"""Annotation of a pod: the document change it was last woken for."""
Body = Mapping[str, Any]


def pods_to_wake(pods: Iterable[Body], trust: Body | None) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return `(name, merge patch)` of pods older than the document's last change and not woken for it."""
    changed_at = _annotations(trust).get(CHANGED_AT)
    if changed_at is None:
        return ()
    patch = {"metadata": {"annotations": {SEEN: changed_at}}}
    return tuple((pod["metadata"]["name"], patch) for pod in pods if _is_behind(pod, changed_at))


def _is_behind(pod: Body, changed_at: str) -> bool:
    metadata = pod["metadata"]
    if "deletionTimestamp" in metadata or _annotations(pod).get(SEEN) == changed_at:
        return False
    if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
        return False
    created = datetime.fromisoformat(metadata["creationTimestamp"])
    return created <= datetime.fromisoformat(changed_at)


def _annotations(body: Body | None) -> Mapping[str, str]:
    return (body or {}).get("metadata", {}).get("annotations") or {}
