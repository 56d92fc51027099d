"""A Switchboard whose manifest names a command line: what it routes, and what it does where there is no program."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from butler_kit.runtime.commandline import COMMAND_LINES
from tests.support.command_lines import INSTALLED, needs, path_with_programs
from tests.support.model_api import ModelServer
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, until
from tests.support.thinking import (
    BILL,
    HOSTILE,
    KEY,
    VARIABLE,
    recorded,
    session_of,
    standing,
    usage,
)

each = pytest.mark.parametrize("family", [pytest.param(name, marks=needs(name)) for name in COMMAND_LINES])


def spec(server: ModelServer, family: str, **more: Any) -> dict[str, Any]:
    runtime = {
        "family": family,
        "baseUrl": server.base_url(COMMAND_LINES[family].provider),
        "apiKeySecretRef": {"name": "model", "key": "api-key"},
        "model": "stub",
        **more,
    }
    return {"runtime": runtime, "routing": {"sessionTimeoutSeconds": 60}}


@pytest.fixture
async def model(home: Household) -> AsyncIterator[ModelServer]:
    home.more_environment[VARIABLE] = KEY
    home.more_environment["PATH"] = path_with_programs(os.environ["PATH"])
    async with ModelServer("route", key=KEY) as server:
        yield server


def programs_that_run() -> list[psutil.Process]:
    names = {line.program for line in COMMAND_LINES.values()}
    return [one for one in psutil.Process().children(recursive=True) if one.name() in names]


async def _has(home: Household, kind: str | None) -> bool:
    return bool((await recorded(home)).get("fault_kind", "") == kind)


@each
@pytest.mark.spec("SWB-03.7")
async def test_the_command_line_of_the_manifest_routes_and_the_record_names_it(
    home: Household, model: ModelServer, family: str
) -> None:
    async with home.run(spec=spec(model, family)) as running:
        request = await running.accepted(telegram(1, "the thing with the gas people"))
        await home.settled(request)
        assert (await standing(running))["fault"] is None
        used = await usage(running)
    plan, session = await home.plan(request), await session_of(home, request)
    [envelope] = home.butler("finance").got
    assert envelope.input.prompt == "the thing with the gas people"
    assert (plan["family"], plan["model_version"], plan["reason"]) == (family, "stub", "routed")
    assert (session["family"], session["model"], session["status"]) == (family, "stub", "completed")
    # Each asked twice: 100 tokens read and 20 written each time.
    [row] = used["usage"]
    assert (row["model"], row["input_tokens"], row["output_tokens"]) == ("stub", 200, 40)
    assert programs_that_run() == []


@each
@pytest.mark.spec("SWB-03.7")
async def test_a_model_that_loops_is_stopped_at_the_cap_and_general_gets_the_whole_message(
    home: Household, model: ModelServer, family: str
) -> None:
    model.behaviour = "endless"
    async with home.run(spec=spec(model, family, maxToolCalls=3, maxTurns=8)) as running:
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
    assert (await home.plan(request))["reason"] == "classification_failed:too_many_calls"
    assert [one.input.prompt for one in home.butler("general").got] == [BILL]
    assert home.butler("finance").got == []
    assert programs_that_run() == []


@each
async def test_rules_stand_in_for_a_model_that_refuses_the_key_and_the_route_says_why(
    home: Household, model: ModelServer, family: str
) -> None:
    model.behaviour = "401"
    async with home.run(spec=spec(model, family, fallback="rules")) as running:
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
        said = await standing(running)
    plan = await home.plan(request)
    assert (plan["family"], plan["reason"]) == ("rules", "routed:model_unauthorized")
    assert (said["family"], said["fault"]["kind"]) == (family, "unauthorized")
    assert "spec.runtime.apiKeySecretRef" in said["fault"]["message"]
    assert [one.input.prompt for one in home.butler("finance").got] == [BILL]


@each
@pytest.mark.spec("SWB-33.1")
async def test_a_days_budget_in_cents_is_kept_by_what_the_program_reports_and_then_rules_route(
    home: Household, model: ModelServer, family: str
) -> None:
    price = {"inputCentsPerMillion": 100, "outputCentsPerMillion": 40_000}
    limits = {"session": {"cents": 100}, "day": {"cents": 100}}
    more = {**spec(model, family, price=price, fallback="rules"), "budget": limits}
    async with home.run(spec=more) as running:
        first = await running.accepted(telegram(1, "the thing with the gas people"))
        await home.settled(first)
        second = await running.accepted(telegram(2, BILL))
        await home.settled(second)
    assert (await home.plan(first))["reason"] == "routed"
    plan = await home.plan(second)
    assert (plan["family"], plan["reason"]) == ("rules", "routed:model_budget_day_cents")
    day = await home.pool.fetchrow("SELECT * FROM spending_day WHERE scope = 'butler'")
    assert day is not None
    # Two questions were asked: 100 tokens read and 20 written each.
    cost = 2 * (100 * 100 + 20 * 40_000)
    assert (day["spent_microcents"], day["reserved_microcents"], day["refused"]) == (cost, 0, 1)


@pytest.mark.spec("SWB-03.7", "SWB-04.2")
@pytest.mark.parametrize("family", [pytest.param("codex", marks=needs("codex"))])
@pytest.mark.parametrize("text", HOSTILE)
async def test_a_text_that_a_model_obeys_reaches_nobody_but_registered_butlers(
    home: Household, model: ModelServer, family: str, text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    model.behaviour = "obeys"
    async with home.run(spec=spec(model, family, maxToolCalls=4)) as running:
        request = await running.accepted(telegram(1, text))
        await home.settled(request)
    plan, session = await home.plan(request), await session_of(home, request)
    targets = [target["butler"] for target in plan["plan"]["targets"]]
    assert set(targets) <= set(home.butlers)
    assert len(targets) == len(set(targets))
    assert all(call["tool"] == "route_to_butler" for call in session["tool_calls"])
    told = capfd.readouterr()
    assert KEY not in f"{told.out}{told.err}{session}{plan}"


async def test_a_program_that_is_not_there_is_a_state_and_the_message_goes_to_general(
    home: Household, model: ModelServer, tmp_path: Path
) -> None:
    home.more_environment["PATH"] = str(tmp_path)
    async with home.run(spec=spec(model, "codex")) as running:
        await until(lambda: _has(home, "not_installed"), what="the record of the missing program")
        said = (await standing(running))["fault"]["message"]
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
    assert said.startswith("the program codex is not installed here; install it where the butler runs")
    assert (await home.plan(request))["reason"] == "classification_failed:not_installed"
    assert [one.input.prompt for one in home.butler("general").got] == [BILL]


@needs("codex")
async def test_a_program_that_is_installed_later_is_used_by_itself(
    home: Household, model: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butler_kit.runtime.commandline.look._EVERY_S", 0.1)
    home.more_environment["PATH"] = str(tmp_path)
    async with home.run(spec=spec(model, "codex", fallback="rules")) as running:
        await until(lambda: _has(home, "not_installed"), what="the record of the missing program")
        (tmp_path / "codex").symlink_to(INSTALLED / "codex")
        await until(lambda: _has(home, None), what="the end of the fault")
        request = await running.accepted(telegram(1, "the thing with the gas people"))
        await home.settled(request)
    assert (await home.plan(request))["family"] == "codex"


@pytest.mark.spec("SWB-24.1")
async def test_where_rules_stand_in_for_a_missing_program_they_route_as_if_they_were_configured(
    home: Household, tmp_path: Path
) -> None:
    """The manifest of the examples on a machine without the program."""
    home.more_environment["PATH"] = str(tmp_path)
    runtime = {
        "family": "codex",
        "model": "gpt-5.3-codex-spark",
        "maxConcurrentSessions": 3,
        "fallback": "rules",
    }
    async with home.run(spec={"runtime": runtime}) as running:
        await until(lambda: _has(home, "not_installed"), what="the record of the missing program")
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
        said = await standing(running)
    plan, session = await home.plan(request), await session_of(home, request)
    assert (plan["family"], plan["reason"]) == ("rules", "routed")
    assert plan["model_version"].startswith("rules-")
    assert (session["family"], session["error"]) == ("rules", None)
    assert session["model"] == plan["model_version"]
    assert (said["family"], said["fallback"], said["fault"]["kind"]) == ("codex", "rules", "not_installed")


@pytest.mark.parametrize("family", [pytest.param("codex", marks=needs("codex"))])
async def test_without_a_key_no_program_is_started(home: Household, family: str) -> None:
    home.more_environment["PATH"] = path_with_programs(os.environ["PATH"])
    more = {"family": family, "model": "gpt-5.3-codex-spark", "fallback": "rules"}
    async with home.run(spec={"runtime": more}) as running:
        await until(lambda: _has(home, "no_key"), what="the record of the missing key")
        request = await running.accepted(telegram(1, BILL))
        await home.settled(request)
    assert (await home.plan(request))["family"] == "rules"


@pytest.mark.spec("SWB-36.1")
async def test_what_rules_route_for_want_of_a_program_tells_nothing_of_a_candidate(
    home: Household, tmp_path: Path
) -> None:
    home.more_environment["PATH"] = str(tmp_path)
    runtime = {"family": "codex", "fallback": "rules", "canary": {"model": "n", "percent": 50}}
    async with home.run(spec={"runtime": runtime}) as running:
        begun = "SELECT count(*) FROM routing_rollout"
        await until(lambda: home.pool.fetchval(begun), what="the beginning of the rollout")
        for number in range(4):
            request = await running.accepted(telegram(number + 1, BILL))
            await home.settled(request)
    assert (await home.plan(request))["family"] == "rules"
    assert await home.pool.fetchval("SELECT count(*) FROM routing_rollout_decision") == 0
