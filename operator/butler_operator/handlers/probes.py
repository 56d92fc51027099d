"""Liveness: fails when work has stopped although there is some, or when the watches have gone silent.

A probe must raise `kopf.PermanentError`: any other exception makes kopf retry while the kubelet waits (notes).
"""

from __future__ import annotations

from typing import Any

import kopf


@kopf.on.probe(id="work")
async def working(memo: Any, **_: Any) -> dict[str, Any]:
    problems = memo.tasks.problems()
    if problems:
        raise kopf.PermanentError("; ".join(problems))
    return {"queue": memo.runtime.queue.depth()}
