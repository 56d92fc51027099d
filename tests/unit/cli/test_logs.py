"""`butlers logs`: one readable line an event, all processes merged by time, nothing that acts on a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from butler_cli.local.state import StateDir
from butler_cli.main import cli, run
from tests.unit.cli.test_hostile_output import ACTING, HOSTILE


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StateDir:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    made = StateDir.at(tmp_path / "state")
    made.create()
    return made


def entry(second: int, event: str, level: str = "info", **more: object) -> str:
    at = f"2026-11-23T05:10:{second:02}.341630Z"
    return json.dumps(
        {"event": event, "level": level, "timestamp": at, "service": "x", "logger": "y", **more}
    )


def write(state: StateDir, name: str, *lines: str) -> None:
    state.log_file(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def shown(state: StateDir, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["logs", "--state", str(state.root), *arguments], catch_exceptions=False)


def test_logs_of_all_processes_are_merged_by_time_and_cut_to_the_newest(state: StateDir) -> None:
    write(
        state,
        "finance",
        entry(1, "serving", port=40110),
        entry(4, "answer_put_off", "warning", problem="no way"),
    )
    write(state, "telegram", entry(2, "polling"), entry(5, "polling"))
    assert shown(state, "-n", "3").output.splitlines() == [
        "2026-11-23 05:10:02 telegram info    polling",
        '2026-11-23 05:10:04 finance  warning answer_put_off problem="no way"',
        "2026-11-23 05:10:05 telegram info    polling",
    ]
    assert (
        shown(state, "finance").output.splitlines()[0]
        == "2026-11-23 05:10:01 finance info    serving port=40110"
    )


def test_only_what_is_grave_enough_is_shown_and_a_traceback_stays_with_its_line(state: StateDir) -> None:
    write(
        state,
        "finance",
        entry(1, "serving"),
        entry(3, "failed", "error"),
        "Traceback (most recent call last):",
    )
    write(state, "travel", entry(2, "noticed", "warning"), entry(4, "drained"))
    said = shown(state, "--level", "warning").output
    assert [line.split()[-1] for line in said.splitlines()] == ["noticed", "failed", "last):"]


def test_a_grave_line_is_found_however_much_was_written_after_it(state: StateDir) -> None:
    chatter = [entry(2, "polling", padding="x" * 900)] * 300
    write(state, "finance", entry(0, "older", "error"), entry(1, "failed", "error"), *chatter)
    said = shown(state, "-n", "1", "--level", "error").output
    assert [line.split()[-1] for line in said.splitlines()] == ["failed"]
    assert shown(state, "-n", "0", "--level", "error").output == ""


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\ud800" not in text])
def test_what_a_stranger_brought_into_a_log_only_shows(state: StateDir, text: str) -> None:
    write(state, "finance", entry(1, text, problem=text), text.replace("\n", " "))
    assert not ACTING & set(shown(state).output)


def test_a_name_without_a_log_and_a_place_that_was_never_up_are_said_in_a_line(
    state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["logs", "--state", str(state.root)]) == 1
    assert capsys.readouterr().err == f"butlers: nothing was ever up in {state.root}: there is no log\n"
    write(state, "finance", entry(1, "serving"))
    assert run(["logs", "--state", str(state.root), "finence"]) == 1
    assert "there is no log of 'finence'; there are logs of finance" in capsys.readouterr().err


def test_new_lines_follow_whole_and_a_log_that_was_set_aside_begins_anew(state: StateDir) -> None:
    write(state, "finance", entry(1, "serving"))
    log = state.log_file("finance")
    command = [sys.executable, "-m", "butler_cli.main", "logs", "-f", "--state", str(state.root)]
    follower = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert follower.stdout is not None
    try:
        assert follower.stdout.readline().endswith("serving\n")
        with log.open("a") as file:
            file.write(entry(2, "half")[:20])
            file.flush()
            time.sleep(1.2)
            file.write(entry(2, "half")[20:] + "\n")
        assert follower.stdout.readline().endswith("half\n")
        log.write_text(entry(3, "anew") + "\n")
        assert follower.stdout.readline().endswith("anew\n")
    finally:
        follower.kill()
        follower.wait()
