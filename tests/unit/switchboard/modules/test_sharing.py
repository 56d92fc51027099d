"""A butler gets what another shares with it of the writer of its own message, and nothing of anybody else (D69)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.context import RequestContext
from butler_contracts.errors import NotFound, TargetUnavailable, ValidationFailed
from butler_contracts.memory import SHARE_TOOL, SharedAsked
from butler_switchboard.dispatch.model import RequestState, SubrouteState
from butler_switchboard.dispatch.store import KnownSubroute
from butler_switchboard.modules.memory import MemorySharing
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from tests.unit.switchboard.dispatch.build import request

ADA, PART = UUID(int=0xADA), UUID(int=7)


def memory(statement: str, day: int) -> dict[str, Any]:
    return {
        "record_id": str(uuid4()),
        "kind": "fact",
        "statement": statement,
        "said": f"remember that {statement}",
        "said_by": "1001",
        "said_through": "telegram",
        "said_at": f"2026-11-{day:02}T08:00:00Z",
        "request_id": str(uuid4()),
        "confidence": 0.9,
    }


@dataclass
class House:
    """General shares with travel alone, health is away; travel works on a part of Ada's message."""

    context: RequestContext = field(default_factory=lambda: request(None).message.context)
    ended: bool = False
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    told: tuple[dict[str, Any], ...] = (memory("I am vegetarian", 2), memory("I live in Graz", 9))

    def view(self) -> RegistryView:
        return RegistryView.of(ButlerProfile(name) for name in ("finance", "general", "health", "travel"))

    def capable(self, name: str, tool: str) -> bool:
        return tool == SHARE_TOOL and name in ("general", "health")

    async def call(
        self, name: str, tool: str, arguments: dict[str, Any], *, claims: dict[str, Any], timeout_s: float
    ) -> dict[str, Any]:
        self.asked.append((name, claims["origin"], arguments))
        if name == "health":
            raise TargetUnavailable("health is away")
        if claims["origin"] != "travel":
            raise ValidationFailed("nothing is shared with it")
        return {"memories": list(self.told)}

    async def find(self, subrequest: UUID) -> KnownSubroute | None:
        if subrequest != PART:
            return None
        stands = SubrouteState.OK if self.ended else SubrouteState.STARTED
        return KnownSubroute(PART, uuid4(), "travel", stands, None)

    async def load(self, request_id: UUID) -> RequestState | None:
        now = request(None)
        return replace(now, message=replace(now.message, context=self.context))

    async def person_of(self, context: RequestContext) -> UUID | None:
        return ADA if context.sender_class == "household" else None

    @property
    def sharing(self) -> MemorySharing:
        return MemorySharing(self, self, self, self.person_of)


async def test_it_is_asked_of_whoever_shares_for_the_writer_of_the_message_newest_first() -> None:
    house = House()
    told = await house.sharing.recall("travel", SharedAsked(subrequest_id=PART))
    assert told.by == ("general",)
    assert [(one.statement, one.butler) for one in told.memories] == [
        ("I live in Graz", "general"),
        ("I am vegetarian", "general"),
    ]
    assert {(name, origin, asked["person"]) for name, origin, asked in house.asked} == {
        ("general", "travel", str(ADA)),
        ("health", "travel", str(ADA)),
    }
    few = await house.sharing.recall("travel", SharedAsked(subrequest_id=PART, most=1))
    assert len(few.memories) == 1


@pytest.mark.parametrize(
    ("butler", "part", "ended"),
    [("finance", PART, False), ("travel", uuid4(), False), ("travel", PART, True)],
)
async def test_who_does_not_work_on_that_part_now_is_told_nothing(
    butler: str, part: UUID, ended: bool
) -> None:
    house = House(ended=ended)
    with pytest.raises(NotFound, match=f"{butler} does not work on a part"):
        await house.sharing.recall(butler, SharedAsked(subrequest_id=part))
    assert house.asked == []


@pytest.mark.parametrize(
    "change",
    [
        {"source_thread_identity": "-100"},
        {"sender_class": "other"},
        {"automatic": True},
        {"reply_policy": "owner"},
    ],
)
async def test_of_a_group_a_stranger_or_a_machine_nobody_is_asked(change: dict[str, Any]) -> None:
    house = House()
    house.context = house.context.model_copy(update=change)
    told = await house.sharing.recall("travel", SharedAsked(subrequest_id=PART))
    assert (told.by, told.memories, house.asked) == ((), (), [])


async def test_where_nobody_shares_anything_not_even_the_message_is_looked_for() -> None:
    class Nobody(House):
        def capable(self, name: str, tool: str) -> bool:
            return False

        async def find(self, subrequest: UUID) -> KnownSubroute | None:
            raise AssertionError("nothing is to be read")

    told = await Nobody().sharing.recall("travel", SharedAsked(subrequest_id=PART))
    assert (told.by, told.memories) == ((), ())
