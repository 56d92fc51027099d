"""A Switchboard that asks a model: what it routes, what it does while there is none, what a hostile text gets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from butler_switchboard.registry.eligibility import Hold
from tests.support.butlers import answers, error_of
from tests.support.loopback import free_port
from tests.support.model_api import ModelServer
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until
from tests.support.thinking import (
    BILL,
    HOSTILE,
    KEY,
    VARIABLE,
    recorded,
    session_of,
    spec,
    standing,
    usage,
)

PROVIDERS = ("openai", "anthropic")
both = pytest.mark.parametrize("provider", PROVIDERS)


@pytest.fixture
async def model(home: Household) -> AsyncIterator[ModelServer]:
    home.more_environment[VARIABLE] = KEY
    async with ModelServer("route", key=KEY) as server:
        yield server


@both
async def test_the_model_decides_and_the_record_names_it(
    home: Household, model: ModelServer, provider: str
) -> None:
    async with home.run(spec=spec(model, provider)) as running:
        request = await running.accepted(telegram(1, "the thing with the gas people"))
        await home.settled(request)
        assert (await standing(running))["fault"] is None
    plan, session = await home.plan(request), await session_of(home, request)
    [envelope] = home.butler("finance").got
    assert envelope.input.prompt == "the thing with the gas people"
    assert (plan["family"], plan["model_version"], plan["reason"]) == ("api", "stub", "routed")
    assert (session["family"], session["model"], session["status"]) == ("api", "stub", "completed")
    assert (await recorded(home))["fault_kind"] is None


@both
async def test_a_route_is_one_question_where_the_model_says_that_its_call_is_the_last(
    home: Household, model: ModelServer, provider: str
) -> None:
    model.behaviour = "two_with_last"
    async with home.run(spec=spec(model, provider)) as running:
        request = await running.accepted(telegram(1, "I paid 40 euro for gas; blood pressure 120 over 80"))
        await home.settled(request)
    assert len(model.asked) == 1
    assert {one.input.prompt for name in ("finance", "health") for one in home.butler(name).got} == {
        "I paid 40 euro for gas",
        "blood pressure 120 over 80",
    }


async def words(home: Household) -> list[tuple[str, str, str | None]]:
    rows = await home.pool.fetch("SELECT prompt, output, person FROM session_transcripts")
    return [(row["prompt"], row["output"], row["person"]) for row in rows]


@both
async def test_what_routing_read_and_wrote_is_kept_where_the_manifest_says_so_until_its_writer_is_forgotten(
    home: Household, model: ModelServer, provider: str
) -> None:
    more = spec(model, provider, transcripts="redacted", fallback="rules")
    async with home.run(spec=more) as running:
        request = await running.accepted(telegram(1, "the thing with the gas people, password=hunter2"))
        await home.settled(request)
        [(read, wrote, person)] = await words(home)
        await home.settled(await running.accepted(telegram(2, "forget everything you know about me")))
    left = await words(home)
    ada = await home.pool.fetchval("SELECT contact_id FROM shared.contacts WHERE name = 'Ada Example'")
    assert ("the thing with the gas people, [redacted]" in read, "hunter2" in read) == (True, False)
    assert read.endswith("\n\nroute_to_butler:\nrecorded")
    assert model.asked[0].system not in read
    assert (wrote, person) == ("done", str(ada))
    assert [one for one in left if "gas people" in one[0]] == []


async def test_what_is_found_in_messages_leaves_no_words_of_its_sessions(
    home: Household, model: ModelServer
) -> None:
    more = {**spec(model, "openai", transcripts="redacted"), "routing": {"relationshipExtraction": True}}
    async with home.run(spec=more) as running:
        await home.settled(await running.accepted(telegram(1, "My sister Anna is allergic to nuts")))
        await until(lambda: _extracted(home), what="the end of the extraction")
    kinds = await home.pool.fetch(
        "SELECT sessions.kind FROM sessions JOIN session_transcripts USING (session_id)"
    )
    assert [row["kind"] for row in kinds] == ["route"]


async def _extracted(home: Household) -> bool:
    return bool(
        await home.pool.fetchval(
            "SELECT count(*) FROM sessions WHERE kind = 'extract' AND status <> 'running'"
        )
    )


@both
async def test_several_subjects_reach_several_butlers(
    home: Household, model: ModelServer, provider: str
) -> None:
    model.behaviour = "two"
    async with home.run(spec=spec(model, provider)) as running:
        await home.settled(
            await running.accepted(telegram(1, "I paid 40 euro for gas. My pressure is 120/80"))
        )
    assert home.butler("finance").got[0].input.prompt == "I paid 40 euro for gas"
    assert home.butler("health").got[0].input.prompt == "blood pressure 120 over 80"


@both
@pytest.mark.spec("SWB-30.3")
async def test_what_the_model_says_depends_on_a_part_that_failed_is_not_tried(
    home: Household, model: ModelServer, provider: str
) -> None:
    model.behaviour = "one_if_the_other"
    home.butler("finance").behaviour = answers(error=error_of("validation_error", message="which account?"))
    async with home.run(spec=spec(model, provider)) as running:
        request = await running.accepted(
            telegram(1, "settle what the gas people want, Clara hears of it then")
        )
        row = await home.settled(request)
    assert (await home.plan(request))["fanout_mode"] == "conditional"
    assert [one["status"] for one in row["dispatch_outcomes"]] == ["error", "skipped"]
    assert home.butler("health").got == []


@both
@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("text_only", "classification_failed:no_call"),
        ("unknown_butler", "invalid_output:unknown_butler"),
        ("unsure", "ambiguous"),
        ("wrong_arguments", "classification_failed:invalid_calls"),
        ("endless", "classification_failed:too_many_turns"),
        ("flood", "classification_failed:too_many_calls"),
    ],
)
async def test_a_model_that_decides_nothing_usable_sends_the_whole_message_to_general(
    home: Household, model: ModelServer, provider: str, behaviour: str, reason: str
) -> None:
    model.behaviour = behaviour
    async with home.run(spec=spec(model, provider, fallback="rules")) as running:
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
    assert (await home.plan(request))["reason"] == reason
    [envelope] = home.butler("general").got
    assert envelope.input.prompt == BILL
    assert home.butler("finance").got == []


@both
@pytest.mark.parametrize("fault", ["401", "404", "429", "500", "garbage", "cut"])
async def test_rules_stand_in_where_the_manifest_says_so_and_the_route_says_why(
    home: Household, model: ModelServer, provider: str, fault: str
) -> None:
    kinds = {"401": "unauthorized", "404": "model_not_found", "429": "rate_limited", "500": "server_error"}
    kind = kinds.get(fault, "unreadable")
    model.behaviour = fault
    async with home.run(spec=spec(model, provider, fallback="rules")) as running:
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
        said = await standing(running)
        await until(lambda: _has(home, kind), what="the record of the fault")
    plan, session = await home.plan(request), await session_of(home, request)
    assert [one.input.prompt for one in home.butler("finance").got] == [BILL]
    assert (plan["family"], plan["reason"], plan["fallback"]) == ("rules", f"routed:model_{kind}", False)
    assert (session["family"], session["status"]) == ("rules", "completed")
    assert session["error"]["original_class"] == kind
    assert (said["family"], said["fallback"], said["fault"]["kind"]) == ("api", "rules", kind)


@both
async def test_without_a_fallback_the_message_goes_to_general_and_the_household_runs_on(
    home: Household, model: ModelServer, provider: str
) -> None:
    model.behaviour = "401"
    async with home.run(spec=spec(model, provider)) as running:
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
        assert (await standing(running))["fault"]["kind"] == "unauthorized"
        model.behaviour = "route"
        again = await running.accepted(telegram(2, "once more, the gas people"))
        await home.settled(again)
        assert (await standing(running))["fault"] is None
        await until(lambda: _has(home, None), what="the end of the fault on record")
    assert (await home.plan(request))["reason"] == "classification_failed:unauthorized"
    assert [one.input.prompt for one in home.butler("general").got] == [BILL]
    assert (await home.plan(again))["reason"] == "routed"


async def _has(home: Household, kind: str | None) -> bool:
    return bool((await recorded(home)).get("fault_kind", "") == kind)


async def test_a_key_that_is_not_there_is_told_before_any_message_and_rules_stand_in(home: Household) -> None:
    async with ModelServer() as server:
        async with home.run(spec=spec(server, "openai", fallback="rules")) as running:
            await until(lambda: _has(home, "no_key"), what="the record of the missing key")
            request = await running.accepted(telegram(1, BILL))
            await home.settled(request)
        assert server.asked == []
    assert (await home.plan(request))["reason"] == "routed:model_no_key"


async def test_a_server_that_is_not_there_is_told_before_any_message_and_heals_by_itself(
    home: Household, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butler_kit.runtime.api.look._AMISS_S", 0.1)
    home.more_environment[VARIABLE] = KEY
    port = free_port()
    absent = ModelServer(key=KEY)
    absent.base_url = lambda provider: f"http://127.0.0.1:{port}/v1"  # type: ignore[method-assign]
    async with home.run(spec=spec(absent, "openai", fallback="rules")) as running:
        await until(lambda: _has(home, "unreachable"), what="the record of the absent server")
        from tests.support import loopback

        for held in loopback._HELD:
            if held.getsockname()[1] == port:
                held.close()
        async with ModelServer(key=KEY, port=port) as server:
            await until(lambda: _has(home, None), what="the end of the fault")
            request = await running.accepted(telegram(1, "the thing with the gas people"))
            await home.settled(request)
            assert server.asked != []
    assert (await home.plan(request))["family"] == "api"


async def test_missing_packages_are_a_state(home: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [name for name in sys.modules if name.startswith("pydantic_ai")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    monkeypatch.delitem(sys.modules, "butler_kit.runtime.api.library", raising=False)
    home.more_environment[VARIABLE] = KEY
    async with ModelServer() as server, home.run(spec=spec(server, "openai", fallback="rules")) as running:
        await until(lambda: _has(home, "not_installed"), what="the record of the missing packages")
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
        said = (await standing(running))["fault"]["message"]
    assert (await home.plan(request))["reason"] == "routed:model_not_installed"
    assert "extra llm" in said


@pytest.mark.spec("SWB-04.1", "SWB-04.2")
@both
@pytest.mark.parametrize("text", HOSTILE)
async def test_a_text_that_a_model_obeys_reaches_nobody_but_registered_butlers_and_tells_no_secret(
    home: Household, model: ModelServer, provider: str, text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    model.behaviour = "obeys"
    async with home.run(spec=spec(model, provider, maxToolCalls=4)) as running:
        request = await running.accepted(telegram(1, text))
        await home.settled(request)
        traced = await _trace(running, request)
    asked = model.asked[0]
    plan, session = await home.plan(request), await session_of(home, request)
    targets = [target["butler"] for target in plan["plan"]["targets"]]
    assert set(targets) <= set(home.butlers)
    assert len(targets) == len(set(targets))
    assert len(session["tool_calls"]) <= 4
    assert all(call["tool"] == "route_to_butler" for call in session["tool_calls"])
    # The instructions are apart, and what was fenced cannot end its fence.
    assert text.splitlines()[0] not in asked.system
    assert asked.user.count(">>>") == text.count(">>>") + 1
    told = capfd.readouterr()
    shown = json.dumps([traced, plan["reason"], session], default=str) + told.out + told.err
    assert KEY not in shown
    assert KEY not in json.dumps(dict(asked.body))
    assert KEY not in str([envelope.input.prompt for one in home.butlers.values() for envelope in one.got])


async def _trace(running: Running, request: Any) -> Any:
    token = running.household.keys.operator()
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.get(
            f"{running.url}/ops/v1/requests/{request}", headers={"Authorization": f"Bearer {token}"}
        )
    answer.raise_for_status()
    return answer.json()


async def test_a_held_butler_is_not_offered_to_the_model(home: Household, model: ModelServer) -> None:
    async with home.run(spec=spec(model, "openai")) as running:
        await running.switchboard.parts.butlers.quarantine("finance", Hold("moving house"), actor="test")
        await running.switchboard.parts.registry.refresh()
        await home.settled(await running.accepted(telegram(1, BILL)))
    assert '"finance"' not in model.asked[0].system
    assert '"health"' in model.asked[0].system
    assert home.butler("finance").got == []


@pytest.mark.spec("SWB-33.1")
async def test_routing_spends_no_more_than_its_day_and_then_rules_route_and_say_so(
    home: Household, model: ModelServer
) -> None:
    price = {"inputCentsPerMillion": 100, "outputCentsPerMillion": 40_000}
    limits = {"session": {"cents": 100}, "day": {"cents": 100}, "personDay": {"cents": 100}}
    more = {**spec(model, "openai", price=price, fallback="rules"), "budget": limits}
    async with home.run(spec=more) as running:
        first = await running.accepted(telegram(1, "the thing with the gas people"))
        await home.settled(first)
        second = await running.accepted(telegram(2, BILL))
        await home.settled(second)
        metrics = await running.metrics()
        used = await usage(running)
    assert (await home.plan(first))["reason"] == "routed"
    plan = await home.plan(second)
    assert (plan["family"], plan["reason"]) == ("rules", "routed:model_budget_day_cents")
    # Two questions were asked: 100 tokens read and 20 written each.
    cost = 2 * (100 * 100 + 20 * 40_000)
    day = await home.pool.fetchrow("SELECT * FROM spending_day WHERE scope = 'butler'")
    assert day is not None
    assert (day["spent_microcents"], day["reserved_microcents"], day["refused"]) == (cost, 0, 1)
    assert 'butlers_model_tokens_total{direction="input",model="stub"} 200.0' in metrics
    assert 'butlers_budget_refused_total{bound="budget_day_cents"} 1.0' in metrics
    [row] = used["usage"]
    assert (row["butler"], row["model"], row["person"]["name"]) == ("switchboard", "stub", "Ada Example")
    assert (row["sessions"], row["input_tokens"], row["output_tokens"]) == (1, 200, 40)
    assert (row["microcents"], used["refused"][0]["refused"]) == (cost, 1)


@pytest.mark.spec("SWB-33.1")
async def test_without_a_fallback_a_used_up_budget_leaves_the_message_to_general(
    home: Household, model: ModelServer
) -> None:
    more = {**spec(model, "openai"), "budget": {"session": {"tokens": 1_000}}}
    async with home.run(spec=more) as running:
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
    assert (await home.plan(request))["reason"] == "classification_failed:budget_session_tokens"
    assert (await session_of(home, request))["error"]["original_class"] == "budget_session_tokens"
    assert [one.input.prompt for one in home.butler("general").got] == [BILL]
    assert model.asked == []
