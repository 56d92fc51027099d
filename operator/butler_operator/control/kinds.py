"""Which reconciler answers for which kind: one line a kind."""

from __future__ import annotations

from butler_operator.control.runtime import Runtime

__all__ = ["register_all"]


def register_all(runtime: Runtime) -> None:
    """Register every reconciler with `runtime`."""
