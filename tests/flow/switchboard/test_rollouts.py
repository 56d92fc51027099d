"""A candidate that a manifest names: its share of the threads, its end, what the household notices (SWB-36.1)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final
from uuid import UUID

import httpx
import pytest

from tests.support.model_api import ModelServer
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until
from tests.support.thinking import KEY, VARIABLE, session_of, spec

BILL: Final = "I paid the gas bill of 40 euro"
THREADS: Final = 40


@pytest.fixture
async def model(home: Household, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    monkeypatch.setattr("butler_switchboard.rollouts.rollouts.LOOK_S", 0.2)
    home.more_environment[VARIABLE] = KEY
    async with ModelServer("route", key=KEY) as server:
        yield server


def trying(server: ModelServer, *, own: str | None = None, **rollout: Any) -> dict[str, Any]:
    asked = spec(server, "openai", canary={"percent": 50, "minimumDecisions": 10, **rollout})
    return asked if own is None else {**asked, "routing": {"instructions": own}}


async def told(running: Running) -> dict[str, Any]:
    """What the ops API says of the rollout."""
    token = running.household.keys.operator()
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.get(
            f"{running.url}/ops/v1/quality", headers={"Authorization": f"Bearer {token}"}
        )
    answer.raise_for_status()
    return dict(answer.json()["rollout"] or {})


async def begun(running: Running) -> None:
    await until(lambda: told(running), what="the beginning of the rollout")


async def written(running: Running, first: int, *, threads: int = THREADS) -> dict[str, UUID]:
    """A message in each thread; which request it is, by thread."""
    requests = {}
    for number in range(threads):
        chat = str(5_000 + number)
        requests[chat] = await running.accepted(telegram(first + number, BILL, chat=chat))
    for request in requests.values():
        await running.household.settled(request)
    return requests


async def arms(home: Household, requests: dict[str, UUID]) -> dict[str, str | None]:
    trials = {chat: (await home.plan(request))["plan"].get("trial") for chat, request in requests.items()}
    return {chat: trial and trial["arm"] for chat, trial in trials.items()}


@pytest.mark.spec("SWB-36.1")
async def test_a_model_that_is_not_there_gets_its_share_is_rolled_back_and_gets_nothing_more(
    home: Household, model: ModelServer
) -> None:
    model.by_model["missing"] = "404"
    async with home.run(spec=trying(model, model="missing")) as running:
        await begun(running)
        first = await written(running, 1)

        async def given_up() -> bool:
            return bool((await told(running))["state"] == "rolled_back")

        await until(given_up, what="the rollback")
        said, metrics = await told(running), await running.metrics()
        asked = len(model.asked)
        second = await written(running, 1_000)
    tried = {chat for chat, arm in (await arms(home, first)).items() if arm == "candidate"}
    assert 10 <= len(tried) <= THREADS - 10
    assert (said["worse"]["signal"], said["worse"]["usual"]["count"]) == ("errors", 0)
    assert said["candidate"]["model"] == "missing"
    # Nobody lost a message, nor noticed: the usual model stood in, in the same session.
    for request in (*first.values(), *second.values()):
        plan = await home.plan(request)
        assert (plan["model_version"], plan["reason"], plan["fallback"]) == ("stub", "routed", False)
        assert plan["prompt_version"].startswith("message-triage-")
    assert len(home.butler("finance").got) == 2 * THREADS
    assert "missing" in {one.model for one in model.asked[:asked]}
    assert {one.model for one in model.asked[asked:]} == {"stub"}
    assert set((await arms(home, second)).values()) == {None}
    assert 'butlers_switchboard_rollout{state="rolled_back"} 1.0' in metrics
    audit = await home.pool.fetch(
        "SELECT operation FROM dashboard_audit_log WHERE operation LIKE 'rollout.%'"
    )
    assert sorted(row["operation"] for row in audit) == ["rollout.begin", "rollout.roll_back"]


@pytest.mark.spec("SWB-36.1")
async def test_a_second_replica_and_a_restart_keep_each_thread_where_it_is_and_what_was_given_up(
    home: Household, model: ModelServer
) -> None:
    # Nothing comes of so high a minimum.
    manifest = trying(model, model="next", minimumDecisions=1_000)
    async with home.run(spec=manifest) as running:
        await begun(running)
        before = await arms(home, await written(running, 1, threads=16))
        async with home.run(spec=manifest) as beside:
            same = await arms(home, await written(beside, 100, threads=16))
    async with home.run(spec=manifest) as running:
        after = await arms(home, await written(running, 200, threads=16))
        assert (await told(running))["candidate"]["decisions"] == 3 * list(before.values()).count("candidate")
    assert before == same == after
    assert {"usual", "candidate"} == set(before.values())
    models = {one.model for one in model.asked}
    assert models == {"stub", "next"}
    await home.pool.execute(
        "UPDATE routing_rollout SET rolled_back_at = clock_now(), evidence = $1",
        {
            "signal": "corrected",
            "candidate": {"count": 9, "of": 30},
            "usual": {"count": 0, "of": 90},
            "p": 0.0,
        },
    )
    async with home.run(spec=manifest) as running:
        assert set((await arms(home, await written(running, 300, threads=16))).values()) == {None}


@pytest.mark.spec("SWB-36.1")
async def test_instructions_of_the_household_are_read_tried_and_named_by_their_version(
    home: Household, model: ModelServer
) -> None:
    manifest = trying(model, own="Berta is our car.", instructions="Berta is our cat.")
    async with home.run(spec=manifest) as running:
        await begun(running)
        requests = await written(running, 1, threads=16)
        said = await told(running)
    by_arm: dict[str | None, set[str]] = {}
    for chat, arm in (await arms(home, requests)).items():
        plan, session = await home.plan(requests[chat]), await session_of(home, requests[chat])
        assert session["prompt_version"] == plan["prompt_version"]
        assert plan["model_version"] == "stub"
        by_arm.setdefault(arm, set()).add(plan["prompt_version"])
    assert by_arm == {
        "usual": {said["usual"]["prompt_version"]},
        "candidate": {said["candidate"]["prompt_version"]},
    }
    assert by_arm["usual"] != by_arm["candidate"]
    read = {(("car" in one.system), ("cat." in one.system)) for one in model.asked}
    assert read == {(True, False), (False, True)}
    # Between the shipped instructions and the butlers, and no part of the message's fence.
    assert model.asked[0].system.index("Berta") < model.asked[0].system.index("Butlers:")


@pytest.mark.spec("SWB-36.1")
async def test_a_candidate_whose_verdicts_cannot_be_used_is_rolled_back_for_them(
    home: Household, model: ModelServer
) -> None:
    model.by_model["next"] = "unknown_butler"
    async with home.run(spec=trying(model, model="next")) as running:
        await begun(running)
        first = await written(running, 1)

        async def given_up() -> bool:
            return bool((await told(running))["state"] == "rolled_back")

        await until(given_up, what="the rollback")
        said = await told(running)
    assert said["worse"]["signal"] in ("invalid_verdicts", "fallbacks")
    assert said["candidate"]["signals"]["errors"] == 0
    for chat, arm in (await arms(home, first)).items():
        reason = (await home.plan(first[chat]))["reason"]
        assert reason == ("invalid_output:unknown_butler" if arm == "candidate" else "routed")


@pytest.mark.spec("SWB-36.1")
async def test_a_key_that_is_refused_gives_no_candidate_up(home: Household, model: ModelServer) -> None:
    model.behaviour = "401"
    async with home.run(spec=trying(model, model="next")) as running:
        await begun(running)
        requests = await written(running, 1, threads=24)
        said = await told(running)
    assert set((await arms(home, requests)).values()) == {None}
    assert (said["state"], said["usual"]["decisions"], said["candidate"]["decisions"]) == ("collecting", 0, 0)
    assert len(home.butler("general").got) == 24
