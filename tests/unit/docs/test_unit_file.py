"""The systemd unit that the documents hand out starts a command that there is."""

from __future__ import annotations

from configparser import ConfigParser
from pathlib import Path

from butler_cli.main import cli

UNIT = Path(__file__).parents[3] / "examples" / "systemd" / "butlers.service"


def test_the_unit_starts_the_household_in_the_foreground_and_waits_for_its_end() -> None:
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(UNIT, "utf-8")
    program, *words = unit["Service"]["ExecStart"].split()
    assert program.endswith("/.venv/bin/butlers")
    with cli.make_context("butlers", words) as context:
        name, verb, rest = cli.resolve_command(context, [*context._protected_args, *context.args])
        assert (name, verb is not None, "--detach" in rest) == ("up", True, False)
        assert verb is not None
        verb.make_context(name or "", rest, parent=context).close()
    assert int(unit["Service"]["TimeoutStopSec"]) >= 150, "the ordered stop is not cut short"
    assert unit["Service"]["KillMode"] == "mixed"
