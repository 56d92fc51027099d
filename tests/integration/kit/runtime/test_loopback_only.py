"""What a command line asks of names where nothing but loopback is reached (SWB-03.7)."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from butler_kit.runtime.commandline import COMMAND_LINES
from tests.support.command_lines import needs
from tests.support.loopback_only import NAMESPACES, command

DOCUMENTED = {"opencode": r"registry\..+"}
"""Where a program looks for packages beside its work; the others ask for nothing (docs/guides/command-lines.md)."""
OURS = "who-asks.example"
each = pytest.mark.parametrize("family", [pytest.param(name, marks=needs(name)) for name in COMMAND_LINES])


def namespaces_may_be_made() -> bool:
    return subprocess.run([*NAMESPACES, "true"], capture_output=True, timeout=30, check=False).returncode == 0


@each
@pytest.mark.spec("SWB-03.7")
@pytest.mark.skipif(
    not namespaces_may_be_made(), reason="this system lets nobody make a network of their own"
)
def test_a_session_works_without_any_network_and_asks_for_no_name_but_the_documented(
    family: str, tmp_path: Path
) -> None:
    ran = subprocess.run(command(family, tmp_path), capture_output=True, text=True, timeout=150, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    told = json.loads(ran.stdout.splitlines()[-1])
    asked, known = set(told["asked"]), re.compile(DOCUMENTED.get(family, "(?!)"))
    assert told["calls"] == ["finance"]
    assert OURS in asked
    assert [name for name in asked - {OURS} if not known.fullmatch(name)] == []
