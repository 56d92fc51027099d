"""Every command that a document tells its reader to type is one that there is, with these options."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from butler_cli.main import cli as butlers
from butler_kubectl.main import cli as kubectl_butler
from butler_kubectl.verbs.quarantine import quarantine
from butler_kubectl.verbs.replay import replay
from tests.support.documented import Documented, documented

ROOT = Path(__file__).parents[3]
PLUGINS: dict[str, click.Command] = {"butler": kubectl_butler, "quarantine": quarantine, "replay": replay}
A_UUID = "019ca8d9-0b40-7000-8000-000000000001"


def named(program: str) -> list[Any]:
    return [pytest.param(command, id=str(command)) for command in documented(program)]


def parsed(command: click.Command, words: list[str], files: Path) -> None:
    """What click makes of `words`, down to the last verb; a usage error is the test's failure."""
    spelled = [value_for(word, files) for word in words]
    with command.make_context(command.name or "", list(spelled), resilient_parsing=False) as context:
        if not isinstance(command, click.Group):
            return
        name, verb, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert verb is not None, name
        with verb.make_context(name, rest, parent=context):
            return


def value_for(word: str, files: Path) -> str:
    """What a reader puts in place of a word that stands for a value."""
    if word == "messages.jsonl":
        made = files / word
        made.write_text('{"text": "Paid 12 EUR"}\n', "utf-8")
        return str(made)
    if word == "DIR":
        return str(ROOT / "examples" / "household")
    return A_UUID if re.fullmatch(r"([A-Z]+_)?ID", word) else word


@pytest.mark.parametrize("command", named("butlers"))
def test_a_documented_butlers_command_has_its_verb_and_options(command: Documented, tmp_path: Path) -> None:
    for words in command.spellings():
        parsed(butlers, words, tmp_path)


@pytest.mark.parametrize(
    "command", [case for case in named("kubectl") if case.values[0].text.split()[1] in PLUGINS]
)
def test_a_documented_plugin_command_has_its_verb_and_options(command: Documented, tmp_path: Path) -> None:
    for plugin, *words in command.spellings():
        parsed(PLUGINS[plugin], words, tmp_path)


def test_documented_make_targets_exist_and_take_the_variables_that_are_named() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE))
    for command in documented("make"):
        words = command.text.split()[1:]
        for word in words:
            variable, given, _ = word.partition("=")
            known = (
                f"$({variable})" in makefile or f"$(if $({variable})" in makefile
                if given
                else word in targets
            )
            assert known, f"{command}: nothing in the Makefile is called {variable}"


@pytest.mark.parametrize("command", named("helm"))
def test_a_documented_chart_is_there_and_has_the_values_that_are_set(command: Documented) -> None:
    words = command.shortest()
    for word in words:
        assert not word.startswith("charts/") or (ROOT / word / "Chart.yaml").is_file(), word
    values = yaml.safe_load((ROOT / "charts" / "butlers" / "values.yaml").read_text("utf-8"))
    for flag, setting in itertools.pairwise(words):
        if flag != "--set":
            continue
        node = values
        for key in setting.partition("=")[0].split("."):
            assert key in node, f"{setting}: values.yaml has no {key}"
            node = node[key]


@pytest.mark.parametrize("command", named("kubectl"))
def test_a_documented_manifest_or_kind_is_one_of_ours(command: Documented) -> None:
    words = command.shortest()
    for flag, path in itertools.pairwise(words):
        assert flag != "-f" or (ROOT / path).exists(), path
    definitions = {path.stem for path in (ROOT / "crds").glob("*.yaml")}
    for word in words:
        if word.endswith(".butlers.dev"):
            assert any(word.partition(".")[0] in name for name in definitions), word


def test_nobody_is_told_to_upgrade_with_the_values_of_the_release_before_alone() -> None:
    """The chart's new values would be missing then: the first template that uses one fails."""
    told = [
        str(file.relative_to(ROOT))
        for folder in ("docs", "charts", "cluster", "cli", "examples", "bench", "tests/e2e", "README.md")
        for file in ([ROOT / folder] if (ROOT / folder).is_file() else sorted((ROOT / folder).rglob("*")))
        if file.suffix in {".md", ".sh", ".py", ".txt", ".yaml", ".tpl"}
        if re.search(r"(?<![a-z])--reuse-values", file.read_text("utf-8"))
    ]
    assert told == []
