"""`/ops/v1/runtime`: whether what judges messages can be had, by its last word (D28)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import Reader, handed
from butler_kit.runtime.standing import RuntimeStanding
from butler_switchboard.operations.view import View

__all__ = ["reading_runtime"]


class FaultView(View):
    """Why it cannot be had, by kind and in words, and since when."""

    kind: str
    message: str
    since: datetime


class RuntimeView(View):
    """`fallback` is the family that works while there is a `fault`; null: nothing stands in."""

    family: str
    fallback: str | None
    fault: FaultView | None

    @classmethod
    def of(cls, standing: RuntimeStanding) -> Self:
        found = standing.fault
        fault = (
            None if found is None else FaultView(kind=found.kind, message=found.message, since=found.since)
        )
        return cls(family=standing.family, fallback=standing.fallback, fault=fault)


reading_runtime = ops_router()
"""One answer, of the replica that is asked."""


@reading_runtime.get("/runtime")
async def runtime(standing: Annotated[RuntimeStanding, handed(RuntimeStanding)], _: Reader) -> RuntimeView:
    """The configured family and what keeps it away."""
    return RuntimeView.of(standing)
