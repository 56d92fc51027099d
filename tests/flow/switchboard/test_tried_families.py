"""A runtime family that is tried beside the usual one: its own key and server, its end, who stands in (SWB-36.1)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from tests.flow.switchboard.test_rollouts import THREADS, arms, begun, told, written
from tests.support.model_api import ModelServer
from tests.support.switchboard_service import Household, until
from tests.support.thinking import KEY, VARIABLE, session_of, spec, standing, usage

CANARY_VARIABLE: Final = "BUTLER_CANARY_API_KEY"


@pytest.fixture
async def model(home: Household, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    """A server that takes the candidate's key alone."""
    monkeypatch.setattr("butler_switchboard.rollouts.rollouts.LOOK_S", 0.2)
    home.more_environment[CANARY_VARIABLE] = KEY
    async with ModelServer("route", key=KEY) as server:
        yield server


def candidate(server: ModelServer, **more: Any) -> dict[str, Any]:
    return {
        "family": "api",
        "provider": "anthropic",
        "baseUrl": server.base_url("anthropic"),
        "apiKeySecretRef": {"name": "candidate", "key": "api-key"},
        "model": "next",
        "percent": 50,
        "minimumDecisions": 10,
        **more,
    }


def beside_rules(server: ModelServer, **more: Any) -> dict[str, Any]:
    return {"runtime": {"canary": candidate(server, **more)}}


@pytest.mark.spec("SWB-36.1", "SWB-03.7")
async def test_a_household_of_rules_tries_a_model_on_its_share_and_both_sides_are_counted(
    home: Household, model: ModelServer
) -> None:
    async with home.run(spec=beside_rules(model, minimumDecisions=1_000)) as running:
        await begun(running)
        requests = await written(running, 1)
        said, runtime = await told(running), await standing(running)
    by_arm = await arms(home, requests)
    assert set(by_arm.values()) == {"usual", "candidate"}
    for chat, arm in by_arm.items():
        plan, session = await home.plan(requests[chat]), await session_of(home, requests[chat])
        family = "api" if arm == "candidate" else "rules"
        assert (plan["family"], session["family"], plan["plan"]["trial"]["family"]) == (family,) * 3
        assert (plan["model_version"] == "next") == (arm == "candidate")
    assert {(one.provider, one.model, one.key) for one in model.asked} == {("anthropic", "next", KEY)}
    counts = {arm: list(by_arm.values()).count(arm) for arm in ("usual", "candidate")}
    assert {arm: said[arm]["decisions"] for arm in counts} == counts
    assert (said["usual"]["family"], said["candidate"]["family"]) == ("rules", "api")
    assert said["fault"] is None
    assert (runtime["family"], runtime["fault"]) == ("rules", None)


@pytest.mark.spec("SWB-36.1")
async def test_a_model_that_gives_no_answer_is_rolled_back_though_rules_can_have_no_such_error(
    home: Household, model: ModelServer
) -> None:
    model.by_model["next"] = "404"
    async with home.run(spec=beside_rules(model)) as running:
        await begun(running)
        first = await written(running, 1)

        async def given_up() -> bool:
            return bool((await told(running))["state"] == "rolled_back")

        await until(given_up, what="the rollback")
        said, asked = await told(running), len(model.asked)
        second = await written(running, 1_000)
    assert (said["worse"]["signal"], said["worse"]["usual"]["count"]) == ("errors", 0)
    assert len(model.asked) == asked
    # Rules stood in, in the same session, and say so.
    for chat, arm in (await arms(home, first)).items():
        plan = await home.plan(first[chat])
        assert plan["family"] == "rules"
        assert plan["reason"].endswith("model_model_not_found") == (arm == "candidate")
    assert set((await arms(home, second)).values()) == {None}
    rows = await home.pool.fetch("SELECT usual_model, candidate_model FROM routing_rollout")
    assert [row["candidate_model"] for row in rows] == ["api next"]
    assert rows[0]["usual_model"] == said["usual"]["model"]


@pytest.mark.spec("SWB-36.1")
async def test_a_key_that_is_missing_is_told_of_the_candidate_alone_and_counts_for_nothing(
    home: Household, model: ModelServer
) -> None:
    del home.more_environment[CANARY_VARIABLE]
    async with home.run(spec=beside_rules(model)) as running:
        await begun(running)
        requests = await written(running, 1)
        said, runtime = await told(running), await standing(running)
    assert (said["state"], said["fault"]["kind"], said["candidate"]["decisions"]) == (
        "collecting",
        "no_key",
        0,
    )
    assert "spec.runtime.canary.apiKeySecretRef" in said["fault"]["message"]
    assert said["usual"]["decisions"] > 0
    assert (runtime["family"], runtime["fault"], model.asked) == ("rules", None, [])
    assert set((await arms(home, requests)).values()) == {"usual", None}
    assert {(await home.plan(request))["family"] for request in requests.values()} == {"rules"}


@pytest.mark.spec("SWB-36.1", "SWB-33.1")
async def test_the_usual_model_stands_in_for_one_of_another_server_on_an_account_of_its_own(
    home: Household, model: ModelServer
) -> None:
    model.by_model["next"] = "500"
    home.more_environment[VARIABLE] = KEY
    manifest = spec(model, "openai", canary=candidate(model, minimumDecisions=1_000))
    manifest["budget"] = {"day": {"sessions": 1_000}}
    async with home.run(spec=manifest) as running:
        await begun(running)
        requests = await written(running, 1, threads=12)
        used = await usage(running)
    tried = [chat for chat, arm in (await arms(home, requests)).items() if arm == "candidate"]
    assert 0 < len(tried) < 12
    for chat in requests:
        plan = await home.plan(requests[chat])
        assert (plan["model_version"], plan["fallback"]) == ("stub", False)
        assert ("model_server_error" in plan["reason"]) == (chat in tried)
    assert len(home.butler("finance").got) == 12
    assert sum(one["sessions"] for one in used["usage"] if one["model"] == "stub") == 12


@pytest.mark.spec("SWB-36.1")
async def test_rules_are_tried_beside_a_model(home: Household, model: ModelServer) -> None:
    home.more_environment[VARIABLE] = KEY
    manifest = spec(model, "openai", canary={"family": "rules", "percent": 50, "minimumDecisions": 1_000})
    async with home.run(spec=manifest) as running:
        await begun(running)
        requests = await written(running, 1)
        said = await told(running)
    by_arm = await arms(home, requests)
    assert len(model.asked) >= list(by_arm.values()).count("usual") > 0
    for chat, arm in by_arm.items():
        family = "rules" if arm == "candidate" else "api"
        assert (await home.plan(requests[chat]))["family"] == family
    assert said["candidate"]["decisions"] == list(by_arm.values()).count("candidate") <= THREADS
