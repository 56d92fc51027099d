"""Turns over two real butlers in one chat: what points back, or asks for what was told, finds whom it was told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from butler_switchboard.registry.records import Declaration
from tests.integration.specialist.household import CountingSwitchboard, Place, plan_for
from tests.support.database import Provision
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, household, until


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general") as home:
        yield home


@pytest.fixture
async def places(provisioned: Provision, tmp_path: Path, home: Household) -> tuple[Place, ...]:
    """Finance and health, each with its database; they run as long as `serving` says."""
    database = await provisioned(plan_for("finance"), plan_for("health"))
    return tuple(
        [
            Place(tmp_path, name, database, await database.pool(name), home.keys, CountingSwitchboard())
            for name in ("finance", "health")
        ]
    )


@asynccontextmanager
async def serving(places: tuple[Place, ...], running: Running) -> AsyncIterator[None]:
    parts = running.switchboard.parts
    async with AsyncExitStack() as stack:
        for place in places:
            place.switchboard.url = f"{running.url}/mcp"
            client = await stack.enter_async_context(place.specialist())
            declared = Declaration(role="specialist", endpoint_url=f"{client.base}/mcp")
            await parts.butlers.declare(place.name, declared, actor="test")

        async def registered() -> bool:
            await parts.registry.refresh()
            return all(parts.registry.view().eligible(place.name) for place in places)

        await until(registered, what="the specialists being eligible")
        yield


async def test_a_thread_of_six_turns_over_two_butlers(home: Household, places: tuple[Place, ...]) -> None:
    async with home.run() as running, serving(places, running):

        async def said(number: int, text: str) -> tuple[str, str]:
            await running.accepted(telegram(number, text))
            await home.idle()
            requests = [envelope.input.context for envelope in home.messenger.got]
            told = [context.notify_request for context in requests if context and context.notify_request]
            reply = [request for request in told if request.delivery.intent == "reply"][-1]
            return reply.origin_butler, str(reply.delivery.message)

        turns = [
            await said(number, text)
            for number, text in enumerate(
                (
                    "Paid the plumber 180 EUR today",
                    "How much was that?",
                    "Blood pressure 138/88",
                    "What's my blood pressure?",
                    "and Ben's?",
                    "What did I pay the plumber?",
                    "and yesterday?",
                ),
                start=1,
            )
        ]
        finance, health = [await place.records() for place in places]
    assert [butler for butler, _ in turns] == ["finance", "finance", *["health"] * 3, "finance", "finance"]
    assert turns[1][1] == "That was 180.00 EUR: “Paid the plumber 180 EUR today”."
    assert turns[3][1].startswith("Your last blood pressure was 138/88 mmHg")
    assert turns[4][1] == "No blood pressure of Ben Example is recorded yet."
    assert turns[6][1].startswith("No expense on plumber is recorded on ")
    assert [len(finance), len(health)] == [1, 1], "what points back is no fact"


async def test_a_question_is_put_to_whom_it_is_meant_for_and_to_whoever_was_told(
    home: Household, places: tuple[Place, ...]
) -> None:
    async with home.run() as running, serving(places, running):
        await running.accepted(telegram(1, "Paid 84.60 EUR at the vet for the weight check of Pickle"))
        await home.idle()
        told = len(home.messenger.got)
        await running.accepted(telegram(2, "What was the weight of Pickle?"))
        await home.idle()
        contexts = [envelope.input.context for envelope in home.messenger.got[told:]]
        answers = [
            context.notify_request
            for context in contexts
            if context is not None and context.notify_request is not None
            if context.notify_request.delivery.intent == "reply"
        ]
        kept = [len(await place.records()) for place in places]
    assert [answer.origin_butler for answer in answers] == ["finance"], "health has nothing and says nothing"
    assert "“Paid 84.60 EUR at the vet for the weight check of Pickle”" in str(answers[0].delivery.message)
    assert kept == [1, 0], "of a question nothing is kept"
