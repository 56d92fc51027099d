"""`butlers route --family F` asks the model that the manifests name, and says how long its prompt is."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from butler_cli.verbs.route import registry_of, route
from butler_kit.runtime.commandline import COMMAND_LINES
from butler_resources.kinds import load_manifests
from butler_switchboard.routing.prompt import estimated_tokens, prompt_version, system_text
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from tests.support.command_lines import needs, path_with_programs
from tests.support.model_api import ModelServer

ROOT = Path(__file__).parents[3]
BUTLER = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: NAME}
spec: {role: specialist, profile: NAME}
---"""
SWITCHBOARD = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: switchboard}
spec:
  role: switchboard
  runtime: {family: api, provider: PROVIDER, baseUrl: "URL", model: stub, apiKeySecretRef: {name: m, key: k}}
---
apiVersion: v1
kind: Secret
metadata: {name: m}
stringData: {k: KEY}
"""


def manifests(folder: Path, provider: str, url: str, key: str = "right") -> Path:
    text = "".join(BUTLER.replace("NAME", name) for name in ("general", "finance", "health"))
    said = SWITCHBOARD.replace("PROVIDER", provider).replace("URL", url).replace("KEY", key)
    (folder / "butlers.yaml").write_text(text + said, encoding="utf-8")
    return folder


async def run(folder: Path, *arguments: str, family: str = "api") -> Result:
    given = ["--family", family, "-f", str(folder), "--state", str(folder / "state"), *arguments]
    return await asyncio.to_thread(CliRunner().invoke, route, given)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_the_models_decision_is_shown_with_the_measure_of_its_prompt(
    tmp_path: Path, provider: str
) -> None:
    async with ModelServer("two", key="right") as server:
        folder = manifests(tmp_path, provider, server.base_url(provider))
        result = await run(folder, "--text", "I paid. My pressure is high", "--explain")
        shown = json.loads((await run(folder, "--text", "I paid", "--json")).output)
    assert result.exit_code == 0, result.output
    assert "1: finance + health  (routed, confidence 0.95" in result.output
    assert "tokens of instructions and butlers" in result.output
    assert "characters / 4" in result.output
    assert [target["butler"] for target in shown["targets"]] == ["finance", "health"]


@pytest.mark.parametrize("family", [pytest.param(name, marks=needs(name)) for name in COMMAND_LINES])
async def test_a_command_line_is_asked_where_the_manifest_names_one(
    tmp_path: Path, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path_with_programs(os.environ["PATH"]))
    provider = COMMAND_LINES[family].provider
    async with ModelServer("two", key="right") as server:
        folder = manifests(tmp_path, provider, server.base_url(provider))
        file = folder / "butlers.yaml"
        file.write_text(file.read_text().replace(f"family: api, provider: {provider}", f"family: {family}"))
        result = await run(folder, "--text", "I paid. My pressure is high", "--explain", family=family)
    assert result.exit_code == 0, result.output
    assert "routed, confidence 0.95" in result.output
    assert "took 200 tokens read and 40 written" in result.output


async def test_a_command_line_that_is_not_installed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    folder = manifests(tmp_path, "openai", "http://127.0.0.1:9/v1")
    file = folder / "butlers.yaml"
    file.write_text(file.read_text().replace("family: api, provider: openai", "family: codex"))
    result = await run(folder, "--text", "I paid", family="codex")
    assert result.exit_code != 0
    assert "the program codex is not installed here" in f"{result.output}{result.exception}"


@pytest.mark.spec("SWB-36.1")
async def test_the_models_decision_names_model_and_prompt_and_reads_the_households_own_words(
    tmp_path: Path,
) -> None:
    async with ModelServer("route", key="right") as server:
        folder = manifests(tmp_path, "openai", server.base_url("openai"))
        plain = await run(folder, "--text", "I paid", "--explain")
        file = folder / "butlers.yaml"
        own = file.read_text().replace(
            "role: switchboard\n", "role: switchboard\n  routing: {instructions: Berta is our car.}\n"
        )
        file.write_text(own)
        told = await run(folder, "--text", "I paid", "--explain")
        shown = json.loads((await run(folder, "--text", "I paid", "--json")).output)
    assert f"decided by: api, model stub, prompt {prompt_version()}\n" in plain.output
    version = prompt_version("Berta is our car.")
    assert f"decided by: api, model stub, prompt {version}\n" in told.output
    assert (shown["model"], shown["prompt_version"]) == ("stub", version)
    assert "Berta" not in server.asked[0].system
    assert "Berta is our car." in server.asked[-1].system


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("text_only", "classification_failed:no_call"),
        ("unknown_butler", "invalid_output:unknown_butler"),
        ("endless", "classification_failed:too_many_turns"),
    ],
)
async def test_a_useless_answer_is_judged_as_switchboard_judges_it(
    tmp_path: Path, behaviour: str, reason: str
) -> None:
    async with ModelServer(behaviour, key="right") as server:
        folder = manifests(tmp_path, "openai", server.base_url("openai"))
        shown = json.loads((await run(folder, "--text", "I paid", "--json")).output)
    assert ([target["butler"] for target in shown["targets"]], shown["reason"]) == (["general"], reason)


async def test_a_model_that_cannot_be_had_is_said_without_its_key(tmp_path: Path) -> None:
    async with ModelServer(key="right") as server:
        folder = manifests(tmp_path, "openai", server.base_url("openai"), key="sk-wrong-0123456789")
        result = await run(folder, "--text", "I paid")
    assert result.exit_code != 0
    said = f"{result.output}{result.exception}"
    assert "refuses the key (HTTP 401)" in said
    assert "sk-wrong" not in said


@pytest.mark.spec("SWB-36.1")
async def test_a_family_that_is_tried_beside_rules_is_asked_with_its_own_words_and_key(
    tmp_path: Path,
) -> None:
    async with ModelServer("route", key="right") as server:
        folder = manifests(tmp_path, "openai", server.base_url("openai"))
        file, secret = folder / "butlers.yaml", "apiKeySecretRef: {name: m, key: k}}"
        tried = file.read_text().replace(
            "runtime: {", "runtime: {maxTurns: 3, canary: {instructions: A cat., "
        )
        file.write_text(tried.replace(secret, f"{secret}}}"))
        result = await run(folder, "--text", "I paid", "--explain")
    assert result.exit_code == 0, result.output
    assert {(one.model, one.key) for one in server.asked} == {("stub", "right")}
    assert "A cat." in server.asked[0].system
    assert prompt_version("A cat.") in result.output


@pytest.mark.spec("SWB-36.1")
async def test_a_canary_of_the_usual_runtime_changes_nothing_about_whom_a_dry_run_asks(
    tmp_path: Path,
) -> None:
    async with ModelServer("route", key="right") as server:
        folder = manifests(tmp_path, "openai", server.base_url("openai"))
        file = folder / "butlers.yaml"
        file.write_text(file.read_text().replace("model: stub,", "model: stub, canary: {model: next},"))
        result = await run(folder, "--text", "I paid")
    assert result.exit_code == 0, result.output
    assert {one.model for one in server.asked} == {"stub"}


async def test_manifests_without_a_model_say_what_is_missing() -> None:
    given = ["--family", "api", "-f", str(ROOT / "examples/household"), "--text", "a"]
    result = await asyncio.to_thread(CliRunner().invoke, route, given)
    assert "runtime.family api" in f"{result.output}{result.exception}"


def test_the_instructions_and_ten_butlers_are_at_most_two_thousand_tokens() -> None:
    known = registry_of(load_manifests(ROOT / "examples/household")).butlers
    assert len(known) == 5
    more: list[dict[str, Any]] = [
        {
            "name": f"butler-{number}",
            "description": "What a household asks of it, in one sentence of some length",
        }
        for number in range(5)
    ]
    subjects = ("school and homework", "the garden", "repairs at home", "recipes", "the car")
    made = tuple(
        ButlerProfile(**one, triggers=(*subjects, "and more of the like"), capabilities=("records", "lists"))
        for one in more
    )
    assert estimated_tokens(system_text(RegistryView.of((*known, *made)))) <= 2_000


async def test_the_history_of_a_file_is_asked_with_and_measured_as_the_manifest_bounds_it(
    tmp_path: Path,
) -> None:
    before = [{"text": "far too old"}, {"text": "I paid the gas bill", "answer": "[finance] Noted"}]
    file = tmp_path / "messages.jsonl"
    file.write_text(json.dumps({"id": "m", "text": "and water 12", "history": before}), encoding="utf-8")
    async with ModelServer("route", key="right") as server:
        folder = manifests(tmp_path, "openai", server.base_url("openai"))
        bounded = (
            (folder / "butlers.yaml").read_text().replace("model: stub,", "model: stub, history: HISTORY,")
        )
        (folder / "butlers.yaml").write_text(bounded.replace("HISTORY", "{messages: 1}"))
        measured = await run(folder, "--file", str(file), "--explain")
        [asked] = [one for one in server.asked if not one.results]
        (folder / "butlers.yaml").write_text(bounded.replace("HISTORY", "{tokens: 0}"))
        without = await run(folder, "--file", str(file), "--explain")
    assert "I paid the gas bill" in asked.user
    assert "too old" not in asked.user
    assert asked.payload == "and water 12"
    assert re.search(r"history: \d+ tokens in 2 lines \(UTF-8 bytes / 1.5\)", measured.output)
    assert "history: none, as the manifest says" in without.output
    assert "I paid the gas bill" not in server.asked[-1].user


@pytest.mark.parametrize(
    ("channel", "said"), [("email", "the mail's chain"), ("telegram", "30 messages or 15 minutes")]
)
async def test_without_history_it_is_said_how_much_there_may_be(
    tmp_path: Path, channel: str, said: str
) -> None:
    async with ModelServer("route", key="right") as server:
        folder = manifests(tmp_path, "openai", server.base_url("openai"))
        shown = await run(folder, "--text", "I paid", "--explain", "--channel", channel)
    assert f"history: none here; from Switchboard {said}, at most 50000 tokens" in shown.output


def budgeted(folder: Path, url: str, budget: str) -> Path:
    manifests(folder, "openai", url)
    said = (folder / "butlers.yaml").read_text(encoding="utf-8")
    spec = (
        "  budget: " + budget + "\n  routing: {tiers: {interactive: {model: quick}}}\n---\napiVersion: v1\n"
    )
    said = said.replace(
        "model: stub,", "model: stub, price: {inputCentsPerMillion: 100, outputCentsPerMillion: 400},"
    )
    (folder / "butlers.yaml").write_text(said.replace("---\napiVersion: v1\n", spec), encoding="utf-8")
    return folder


async def test_a_tiers_own_model_is_asked_and_the_cost_is_said_with_whose_budget_it_is_not(
    tmp_path: Path,
) -> None:
    async with ModelServer("route", key="right") as server:
        folder = budgeted(tmp_path, server.base_url("openai"), "{session: {cents: 5}, day: {cents: 5}}")
        usual = await run(folder, "--text", "I paid 40 euro for gas", "--explain")
        await run(folder, "--text", "I paid 40 euro for gas", "--tier", "interactive")
    assert [asked.model for asked in server.asked] == ["stub"] * (len(server.asked) // 2) + ["quick"] * (
        len(server.asked) // 2
    )
    assert "tokens read and" in usual.output
    assert "cents, a dry run that counts in no day's budget" in usual.output


async def test_what_a_session_may_take_holds_in_a_dry_run_too(tmp_path: Path) -> None:
    async with ModelServer("route", key="right") as server:
        folder = budgeted(tmp_path, server.base_url("openai"), "{session: {tokens: 1000}}")
        shown = json.loads((await run(folder, "--text", "I paid 40 euro for gas", "--json")).output)
    assert shown["reason"] == "classification_failed:budget_session_tokens"
    assert server.asked == []
