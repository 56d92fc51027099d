"""Every butler that remembers is asked to look after its memory, and who cannot be asked is named."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.schedules.memories import Memories


@dataclass
class House:
    """A registry of four, of which the calls are kept; `away` cannot be reached."""

    away: frozenset[str] = frozenset()
    asked: list[tuple[str, str]] = field(default_factory=list)

    def view(self) -> RegistryView:
        memory = ("records", "memory")
        return RegistryView.of(
            (
                ButlerProfile("general", capabilities=memory),
                ButlerProfile("health", capabilities=memory),
                ButlerProfile("travel", capabilities=memory, eligible=False),
                ButlerProfile("finance", capabilities=("records",)),
            )
        )

    def capable(self, name: str, tool: str) -> bool:
        return True

    async def call(
        self, name: str, tool: str, arguments: dict[str, Any], *, claims: dict[str, Any], timeout_s: float
    ) -> dict[str, Any]:
        if name in self.away:
            raise TargetUnavailable(f"{name} is away")
        self.asked.append((name, tool))
        return {"changed": 1}


@pytest.mark.spec("SWB-25.1")
async def test_each_butler_that_remembers_is_asked_once_for_each_job() -> None:
    house = House()
    memories = Memories(house, house)
    assert await memories.consolidate() == {"general": {"changed": 1}, "health": {"changed": 1}}
    await memories.clean_up()
    assert house.asked == [
        ("general", "memory_consolidate"),
        ("health", "memory_consolidate"),
        ("general", "memory_clean_up"),
        ("health", "memory_clean_up"),
    ]


async def test_who_cannot_be_asked_is_named_and_keeps_nobody_else_from_it() -> None:
    house = House(away=frozenset({"general"}))
    with pytest.raises(TargetUnavailable, match="general: could not be asked for memory_consolidate"):
        await Memories(house, house).consolidate()
    assert house.asked == [("health", "memory_consolidate")]
