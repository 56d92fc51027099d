"""`butlers route` classifies against the registry that manifests declare, and prints what it would do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from butler_cli.verbs.route import registry_of, route
from butler_resources.kinds import load_manifests

MANIFEST = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: NAME}
spec: {role: specialist, profile: PROFILE EXTRA}
"""
SURE = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: switchboard}
spec: {role: switchboard, routing: {confidenceThreshold: 1}}
"""


def manifests(folder: Path, *butlers: tuple[str, str, str]) -> Path:
    texts = [MANIFEST.replace("NAME", n).replace("PROFILE", p).replace("EXTRA", x) for n, p, x in butlers]
    (folder / "butlers.yaml").write_text("---".join(texts), encoding="utf-8")
    return folder


@pytest.fixture
def household(tmp_path: Path) -> Path:
    return manifests(
        tmp_path,
        ("general", "general", ""),
        ("finance", "finance", ""),
        ("health", "health", ""),
        ("home", "general", ', triggers: ["heating, boiler, repairs, appliances"]'),
    )


def run(*arguments: str | Path):
    return CliRunner().invoke(route, [str(argument) for argument in arguments])


def test_one_text_is_answered_in_one_json_line(household: Path):
    result = run("-f", household, "--json", "--text", "blood pressure 128/84")
    assert result.exit_code == 0
    shown = json.loads(result.output)
    assert set(shown) == {
        "id", "targets", "confidence", "fallback", "reason", "model", "prompt_version", "ms",
    }  # fmt: skip
    assert [target["butler"] for target in shown["targets"]] == ["health"]
    assert set(shown["targets"][0]) == {"butler", "prompt", "segment"}
    assert shown["reason"] == "routed"


def test_a_file_gives_one_line_per_message_with_its_id(household: Path, tmp_path: Path):
    file = tmp_path / "F.jsonl"
    file.write_text(
        '{"id": "a", "text": "pay the water bill, 84 EUR"}\n\n{"text": "the boiler is broken"}\n',
        encoding="utf-8",
    )
    result = run("-f", household, "--json", "--file", file)
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert [(line["id"], line["targets"][0]["butler"]) for line in lines] == [("a", "finance"), ("3", "home")]


def test_a_person_reads_names_confidence_and_evidence(household: Path):
    result = run("-f", household, "--explain", "--text", "blood pressure 128/84")
    assert "health" in result.output
    assert "blood pressure “128/84”" in result.output


def test_a_suspended_or_held_butler_gets_nothing(tmp_path: Path):
    folder = manifests(
        tmp_path,
        ("general", "general", ""),
        ("finance", "finance", ", suspend: true"),
        ("health", "health", ', eligibility: {quarantine: {reason: "moving"}}'),
    )
    assert not registry_of(load_manifests(folder)).eligible("finance")
    result = run("-f", folder, "--json", "--text", "blood pressure 128/84")
    shown = json.loads(result.output)
    assert [target["butler"] for target in shown["targets"]] == ["general"]
    assert shown["reason"] == "ineligible_target:health"


def test_how_sure_a_decision_must_be_is_what_the_manifest_says_unless_the_command_does(tmp_path: Path):
    folder = manifests(tmp_path, ("general", "general", ""), ("health", "health", ""))
    (folder / "switchboard.yaml").write_text(SURE, encoding="utf-8")
    said = ("-f", folder, "--json", "--text", "blood pressure 128/84")
    assert json.loads(run(*said).output)["targets"][0]["butler"] == "general"
    assert json.loads(run(*said, "--threshold", "0.5").output)["targets"][0]["butler"] == "health"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give one message"),
        (["--text", "a", "--file", "b"], "give one message"),
        (["--family", "codex", "--text", "a"], "--family rules"),
        (["-f", "/nowhere", "--text", "a"], "no such directory"),
    ],
)
def test_a_wrong_call_says_what_to_do(household: Path, arguments: list[str], words: str):
    result = run(*(arguments if "-f" in arguments else ["-f", household, *arguments]))
    assert result.exit_code != 0
    assert words in f"{result.output}{result.exception}"


@pytest.mark.parametrize("line", ["not json", "[1]", '{"id": 1}', '{"text": 5}'])
def test_a_bad_line_is_named_with_its_number(household: Path, tmp_path: Path, line: str):
    file = tmp_path / "F.jsonl"
    file.write_text(f'{{"text": "hello"}}\n{line}\n', encoding="utf-8")
    result = run("-f", household, "--json", "--file", file)
    assert result.exit_code == 1
    assert "F.jsonl:2" in f"{result.output}{result.exception}"


def test_who_spoke_last_can_be_told_and_is_explained(household: Path, tmp_path: Path):
    alone, after = (
        json.loads(run("-f", household, "--json", "--text", "undo", *more).output)
        for more in ([], ["--after", "finance"])
    )
    assert [made["targets"][0]["butler"] for made in (alone, after)] == ["general", "finance"]
    file = tmp_path / "after.jsonl"
    file.write_text('{"id": "1", "text": "and yesterday?", "after": "health"}\n', encoding="utf-8")
    assert (
        json.loads(run("-f", household, "--json", "--file", file).output)["targets"][0]["butler"] == "health"
    )
    told = run("-f", household, "--explain", "--after", "finance", "undo").output
    assert "only points back at what that butler said last" in " ".join(told.split())
    assert "spoke last: “finance, 5 min before”" in told


def test_parts_that_wait_for_each_other_are_shown_with_their_order(household: Path):
    text = "Pay the gas bill of 40 euro, and if that works note my blood pressure 120 over 80"
    explained = run("-f", household, "--explain", text)
    assert "In this order: one after another, each only if the one before it succeeded." in " ".join(
        explained.output.split()
    )
    assert "each only if the one before it succeeded" in run("-f", household, text).output
    assert json.loads(run("-f", household, "--json", text).output)["order"] == "conditional"
