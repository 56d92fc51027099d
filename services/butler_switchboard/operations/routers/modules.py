"""`GET /ops/v1/modules`: which modules are enabled here, and the state of each (SWB-24.2)."""

from __future__ import annotations

from typing import Annotated, Self

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import Reader, handed
from butler_switchboard.modules.calendar import CalendarPassing
from butler_switchboard.modules.inventory import Module, inventory
from butler_switchboard.operations.view import View
from butler_switchboard.registry.store import ButlerStore

__all__ = ["reading_modules"]


class ModuleView(View):
    """`by`: the butlers that carry it out now; `state`: `well`, `off`, `amiss` or `unknown`, in `words` why."""

    name: str
    enabled: bool
    by: list[str]
    scopes: dict[str, bool] | None
    provider: str | None
    conflicts: str | None
    state: str
    words: str

    @classmethod
    def of(cls, one: Module) -> Self:
        return cls(
            name=one.name,
            enabled=one.enabled,
            by=list(one.by),
            scopes=dict(one.scopes) if one.scopes is not None else None,
            provider=one.provider,
            conflicts=one.conflicts,
            state=one.state,
            words=one.words,
        )


class ModuleList(View):
    modules: list[ModuleView]


reading_modules = ops_router()


@reading_modules.get("/modules")
async def listed(
    butlers: Annotated[ButlerStore, handed(ButlerStore)],
    calendar: Annotated[CalendarPassing, handed(CalendarPassing)],
    _: Reader,
) -> ModuleList:
    """The modules."""
    known = {record.name: record.capabilities for record in (await butlers.all())[1]}
    return ModuleList(modules=[ModuleView.of(one) for one in inventory(known, await calendar.word())])
