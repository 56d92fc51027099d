"""Two real butlers that were told otherwise of one thing: which answer counts is said, and what the other has."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler_resources.kinds import Butler
from butler_resources.render.registry import declaration_of
from butler_switchboard.operations.ops_models import DeclareBody
from tests.integration.specialist.household import CountingSwitchboard, Place, plan_for
from tests.support.database import Provision
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, household, until

NAMES = ("general", "health")
SCHOOL = "school nurse: hearing test for Leo on Thursday at 9"
PARENT = "Leo's hearing test is on Tuesday at 10:00"
ASKED = "when is Leo's hearing test?"


def manifest(name: str, priority: int | None) -> Butler:
    spec = {"role": "specialist", "profile": name}
    more = {} if priority is None else {"arbitrationPriority": priority}
    return Butler.model_validate({"kind": "Butler", "metadata": {"name": name}, "spec": {**spec, **more}})


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path) as home:
        yield home


@pytest.fixture
async def places(provisioned: Provision, tmp_path: Path, home: Household) -> tuple[Place, ...]:
    database = await provisioned(*(plan_for(name) for name in NAMES))
    return tuple(
        [
            Place(tmp_path, name, database, await database.pool(name), home.keys, CountingSwitchboard())
            for name in NAMES
        ]
    )


@asynccontextmanager
async def serving(
    places: tuple[Place, ...], running: Running, priorities: Mapping[str, int]
) -> AsyncIterator[dict[str, str]]:
    """The specialists run, declared by their manifests; where each serves."""
    async with AsyncExitStack() as stack:
        served = {}
        for place in places:
            place.switchboard.url = f"{running.url}/mcp"
            client = await stack.enter_async_context(place.specialist())
            served[place.name] = f"{client.base}/mcp"
        await declared(running, served, priorities)

        async def registered() -> bool:
            await running.switchboard.parts.registry.refresh()
            return all(running.switchboard.parts.registry.view().eligible(name) for name in served)

        await until(registered, what="the specialists being eligible")
        yield served


async def declared(running: Running, served: Mapping[str, str], priorities: Mapping[str, int]) -> None:
    parts = running.switchboard.parts
    for name, endpoint in served.items():
        body = declaration_of(manifest(name, priorities.get(name)), endpoint=endpoint, now=datetime.now(UTC))
        declaration = DeclareBody.model_validate(body).to_declaration()
        await parts.butlers.declare(name, declaration, actor="test")
    await parts.registry.refresh()


def said_since(home: Household, before: int) -> list[tuple[str, str]]:
    """Who said what to whoever wrote."""
    wishes = [
        envelope.input.context.notify_request
        for envelope in home.messenger.got[before:]
        if envelope.input.context
    ]
    return [
        (wish.origin_butler, str(wish.delivery.message))
        for wish in wishes
        if wish is not None and wish.delivery.intent == "reply"
    ]


@pytest.mark.spec("SWB-29.1")
async def test_the_answer_of_the_higher_priority_counts_and_what_the_other_was_told_is_disclosed(
    home: Household, places: tuple[Place, ...]
) -> None:
    async with home.run() as running, serving(places, running, {"general": 10}) as served:
        for number, text in enumerate((SCHOOL, PARENT), start=1):
            await running.accepted(telegram(number, text))
            await home.idle()
        before = len(home.messenger.got)
        first = await running.accepted(telegram(3, ASKED))
        await home.idle()
        of_school = said_since(home, before)
        outcomes = (await home.settled(first))["dispatch_outcomes"]

        await declared(running, served, {"health": 10})
        before = len(home.messenger.got)
        await running.accepted(telegram(4, ASKED))
        await home.idle()
        of_parent = said_since(home, before)
        metrics = await running.metrics()
    assert [butler for butler, _ in of_school] == ["health", "switchboard"]
    assert PARENT in of_school[0][1]
    told = of_school[1][1]
    assert told.startswith(f"I go by what general has: “{SCHOOL}” (")
    assert f"health has something else: “{PARENT}” (" in told

    swapped = of_parent[-1][1]
    assert swapped.startswith(f"I go by what health has: “{PARENT}” (")
    assert f"general has something else: “{SCHOOL}” (" in swapped

    standing = {
        one["target_butler"]: {(claim["standing"], claim["decided_by"]) for claim in one["claims"]}
        for one in outcomes
    }
    assert standing == {"general": {("won", "priority")}, "health": {("lost", "priority")}}
    assert 'contradiction_total{decided_by="priority"} 2.0' in metrics


@pytest.mark.spec("SWB-29.1")
async def test_without_a_priority_the_first_name_counts_where_the_other_was_told_more(
    home: Household, places: tuple[Place, ...]
) -> None:
    async with home.run() as running, serving(places, running, {}):
        for number, text in enumerate((SCHOOL, PARENT), start=1):
            await running.accepted(telegram(number, text))
            await home.idle()
        before = len(home.messenger.got)
        await running.accepted(telegram(3, ASKED))
        await home.idle()
        of_one = said_since(home, before)
        before = len(home.messenger.got)
        await running.accepted(telegram(4, "when does the nurse do Leo's hearing test?"))
        await home.idle()
        of_both = said_since(home, before)
    assert [butler for butler, _ in of_one] == ["health"], "as much was told to the one that is meant"
    assert of_both[-1][0] == "switchboard"
    assert of_both[-1][1].startswith(f"I go by what general has: “{SCHOOL}” (")
