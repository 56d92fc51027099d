"""`status.version`: what a resource's pods run, according to its Deployment (pure).

Invariant: it changes when a rollout is over and as many pods as wanted are available, together with the conditions
that say so, without a write of its own. Until then it is what ran before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from butler_operator.reconcile.conditions import Condition
from butler_operator.reconcile.workload import Workload
from butler_resources.kinds.conditions import Reason

__all__ = ["running", "version_of"]

Body = Mapping[str, Any]


def running(children: Iterable[Body], workload: Workload, progress: Condition | None) -> dict[str, Any]:
    """Return the status field; empty leaves it as it is, `None` removes it because no pod is wanted."""
    deployment = next((body for body in children if body["kind"] == "Deployment"), None)
    if deployment is None or progress is None or progress.reason != Reason.ROLLED_OUT:
        return {}
    if workload.wanted == 0:
        return {"version": None}
    if not workload.settled or workload.available < workload.wanted:
        return {}
    return {"version": version_of(deployment["spec"]["template"]["spec"]["containers"][0]["image"])}


def version_of(image: str) -> str:
    """Return what identifies a build of an image: its digest, else its tag."""
    name, _, digest = image.partition("@")
    if digest:
        return digest
    return name.rpartition("/")[2].partition(":")[2] or "latest"
