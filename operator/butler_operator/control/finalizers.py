"""Remove the finalizer of earlier versions: the operator must not hold up a deletion (ADR 0044).

The clean-up for a deletion happens afterwards: at once while the operator runs, by the beat if it was not running
(`control.leftovers`, `backfill.leftovers`).
"""

from __future__ import annotations

from typing import Any

from butler_kit.telemetry import get_logger
from butler_operator.control.runtime import Runtime
from butler_resources.kinds.names import FINALIZER

__all__ = ["without_finalizer"]

_log = get_logger(__name__)
Body = dict[str, Any]


async def without_finalizer(runtime: Runtime, body: Body) -> Body:
    """Return the resource without our finalizer. Raises `ClusterError`s."""
    finalizers = list(body["metadata"].get("finalizers") or [])
    if FINALIZER not in finalizers:
        return body
    rest = [name for name in finalizers if name != FINALIZER]
    written = await runtime.cluster.write_finalizers(body, rest)
    runtime.metrics.count("butlers.operator.writes", kind=body["kind"], verb="finalizer")
    _log.info("finalizer_removed", kind=body["kind"], name=body["metadata"]["name"])
    if written.get("metadata", {}).get("resourceVersion"):
        runtime.observed.put(written)
    return written or body
