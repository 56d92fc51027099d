"""The demo sends nothing before every process is ready, connectors with a slow start included."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler_cli.local.child_state import ChildState
from butler_cli.local.state import StateDir
from butler_cli.local.status import Phase, write_status
from examples.demo.household import all_ready

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SWITCHBOARD = ChildState("switchboard", "ready", 11, 0, False, None)
TELEGRAM = ChildState("telegram", "ready", 12, 0, False, None)


def told(state: StateDir, phase: Phase, *processes: ChildState) -> bool:
    write_status(state, phase=phase, manifests="m", processes=processes, ports={}, now=NOW)
    return all_ready(state)


def test_a_household_is_ready_when_its_last_connector_is(tmp_path: Path) -> None:
    state = StateDir.at(tmp_path)
    assert not told(state, "ready", SWITCHBOARD, TELEGRAM)
    state.endpoints_file.write_text("{}")
    assert not told(state, "starting", SWITCHBOARD, TELEGRAM)
    assert not told(state, "ready", SWITCHBOARD, replace(TELEGRAM, state="unready"))
    assert told(state, "ready", SWITCHBOARD, TELEGRAM)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
def test_a_status_that_cannot_be_read_is_not_ready(tmp_path: Path, text: str) -> None:
    state = StateDir.at(tmp_path)
    state.endpoints_file.write_text("{}")
    state.run_dir.mkdir()
    state.status_file.write_text(text)
    assert not all_ready(state)
