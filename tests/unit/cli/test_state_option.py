"""`--state` means the same household before a verb of a group and behind it."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from butler_cli.local.state import StateDir
from butler_cli.verbs.options import state_option


@click.group("things", invoke_without_command=True)
@state_option
def things(state: StateDir) -> None:
    """List them."""


@things.command("end")
@state_option
def end(state: StateDir) -> None:
    """End one."""
    click.echo(str(state.root))


@pytest.mark.parametrize(
    ("arguments", "household"),
    [
        (["--state", "one", "end"], "one"),
        (["end", "--state", "two"], "two"),
        (["--state", "one", "end", "--state", "two"], "two"),
    ],
)
def test_a_verb_of_a_group_has_the_household_that_was_named_nearest_to_it(
    arguments: list[str], household: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BUTLERS_STATE", raising=False)
    done = CliRunner().invoke(things, arguments)
    assert done.exit_code == 0, done.output
    assert Path(done.output.strip()).name == household


def test_what_was_named_before_the_verb_comes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BUTLERS_STATE", str(tmp_path / "three"))
    assert Path(CliRunner().invoke(things, ["end"]).output.strip()).name == "three"
    assert Path(CliRunner().invoke(things, ["--state", "one", "end"]).output.strip()).name == "one"
