"""`/ops/v1/runtime`: whether Switchboard's and butlers' runtimes are available, as last reported (D28)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import Reader, handed
from butler_kit.runtime.standing import RuntimeStanding
from butler_switchboard.operations.runtime import ButlerRuntime, Runtimes
from butler_switchboard.operations.view import FaultView, View

__all__ = ["reading_runtime"]


class ButlerRuntimeView(View):
    """`fallback` is the family that works while there is a `fault`; null: nothing stands in.

    `note`: what may keep a model from answering, though nothing is known to be amiss.
    """

    family: str
    fallback: str | None
    fault: FaultView | None
    note: str | None

    @classmethod
    def of(cls, said: ButlerRuntime) -> Self:
        fault = None
        if said.fault_kind is not None:
            fault = FaultView(kind=said.fault_kind, message=said.fault_message or "", since=said.since)
        note = said.fault_message if fault is None else None
        return cls(family=said.family, fallback=said.fallback, fault=fault, note=note)


class RuntimeView(View):
    """Switchboard's own, and by name those of the butlers that have told of theirs."""

    family: str
    fallback: str | None
    fault: FaultView | None
    note: str | None
    butlers: dict[str, ButlerRuntimeView]

    @classmethod
    def of(cls, standing: RuntimeStanding, told: Sequence[ButlerRuntime]) -> Self:
        found = standing.fault
        fault = None if found is None else FaultView.of(found)
        butlers = {one.butler: ButlerRuntimeView.of(one) for one in told}
        return cls(
            family=standing.family,
            fallback=standing.fallback,
            fault=fault,
            note=standing.note,
            butlers=butlers,
        )


reading_runtime = ops_router()
"""One answer; Switchboard's own part is that of the replica that is asked."""


@reading_runtime.get("/runtime")
async def runtime(
    standing: Annotated[RuntimeStanding, handed(RuntimeStanding)],
    runtimes: Annotated[Runtimes, handed(Runtimes)],
    _: Reader,
) -> RuntimeView:
    """The configured families and what keeps them away."""
    return RuntimeView.of(standing, await runtimes.all())
