"""What a manifest says of a tier: by which model it is routed, in what time, when a message counts as done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from tests.support.butlers import answers, error_of
from tests.support.model_api import ModelServer
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household
from tests.support.thinking import KEY, VARIABLE, session_of, spec

BILL: Final = "I paid the gas bill of 40 euro"
TWO_PARTS: Final = f"{BILL}. My blood pressure this morning was 120 over 80."
INTERACTIVE: Final = {"policy_tier": "interactive"}
MODELS: Final = {"interactive": {"model": "quick"}}


@pytest.fixture
async def model(home: Household) -> AsyncIterator[ModelServer]:
    home.more_environment[VARIABLE] = KEY
    async with ModelServer("route", key=KEY) as server:
        yield server


def tiered(model: ModelServer, tiers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**spec(model, "openai", **more), "routing": {"tiers": tiers}}


@pytest.mark.spec("SWB-34.1")
async def test_each_tier_asks_the_model_that_the_manifest_gives_it_and_the_record_names_both(
    home: Household, model: ModelServer
) -> None:
    async with home.run(spec=tiered(model, MODELS)) as running:
        for number, control in enumerate((None, INTERACTIVE), start=1):
            request = await running.accepted(telegram(number, BILL, control=control))
            await home.settled(request)
            named = (await home.plan(request))["model_version"], (await session_of(home, request))["model"]
            tier = (await home.row(request))["policy_tier"]
            assert (tier, *named) == [("default", "stub", "stub"), ("interactive", "quick", "quick")][
                number - 1
            ]
    assert [asked.model for asked in model.asked if not asked.results] == ["stub", "quick"]


async def test_a_tiers_model_that_cannot_be_had_is_followed_by_the_fallback_models_not_by_the_usual_one(
    home: Household, model: ModelServer
) -> None:
    model.by_model["quick"] = "404"
    async with home.run(spec=tiered(model, MODELS, fallbackModels=["spare"])) as running:
        request = await running.accepted(telegram(1, BILL, control=INTERACTIVE))
        await home.settled(request)
    assert [asked.model for asked in model.asked][:2] == ["quick", "spare"]
    assert (await home.plan(request))["model_version"] == "spare"


@pytest.mark.spec("SWB-34.1")
async def test_a_tier_may_give_its_model_less_time(home: Household, model: ModelServer) -> None:
    model.behaviour = "hang"
    patient = tiered(model, {"interactive": {"sessionTimeoutSeconds": 0.3}})
    async with home.run(spec=patient) as running:
        request = await running.accepted(telegram(1, BILL, control=INTERACTIVE))
        async with asyncio.timeout(25):  # the usual time is 30 s
            await home.settled(request)
    assert (await home.plan(request))["reason"].startswith("classification_failed:")
    recorded = (await home.plan(request))["plan"]["policy"]
    assert (recorded["session_timeout_s"], recorded["patience_s"]) == (0.3, 60.0)


@pytest.mark.spec("SWB-34.1")
@pytest.mark.parametrize(("join", "state"), [("all", "errored"), ("any", "parsed")])
async def test_a_tier_says_whether_one_part_that_is_done_is_enough(
    home: Household, join: str, state: str
) -> None:
    home.butler("health").behaviour = answers(error=error_of())
    strict = {"dispatch": {"tiers": {"interactive": {"join": join}}}}
    async with home.run(spec=strict) as running:
        request = await running.accepted(telegram(1, TWO_PARTS, control=INTERACTIVE))
        ended = await home.finished(request)
        usual = await home.finished(await running.accepted(telegram(2, TWO_PARTS, chat="2")))
    assert (ended["lifecycle_state"], usual["lifecycle_state"]) == (state, "errored")
    assert (await home.plan(request))["join_policy"] == join
