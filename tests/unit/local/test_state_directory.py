"""The state directory is its user's alone, and one supervisor's at a time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from butler_cli.local.logs import MAX_BYTES, open_log, tail
from butler_cli.local.state import AlreadyUp, StateDir, SupervisorLock, read_json, write_private
from butler_cli.local.status import read_status

HOLDER = """
import sys, time
from pathlib import Path
from butler_cli.local.state import StateDir, SupervisorLock
lock = SupervisorLock(StateDir.at(Path(sys.argv[1])))
print("held", flush=True)
time.sleep(60)
"""


def test_directories_and_files_are_closed_to_others_and_parents_are_left_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    previous = os.umask(0)
    try:
        state = StateDir.at(tmp_path / "state")
        state.create()
        write_private(state.token_file("finance"), "x")
        SupervisorLock(state).release()
    finally:
        os.umask(previous)
    modes = {path: path.stat().st_mode & 0o777 for path in [state.root, *state.root.rglob("*")]}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_second_supervisor_is_refused_and_told_who_holds_the_first(tmp_path: Path) -> None:
    state = StateDir.at(tmp_path / "state")
    state.create()
    lock = SupervisorLock(state)
    with pytest.raises(AlreadyUp, match=f"process {os.getpid()}"):
        SupervisorLock(state)
    assert state.supervisor_pid() == os.getpid()
    lock.release()
    SupervisorLock(state).release()


def test_the_lock_ends_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    state = StateDir.at(tmp_path / "state")
    state.create()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(state.root)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert state.supervisor_pid() == holder.pid
        holder.kill()
    assert state.supervisor_pid() is None
    SupervisorLock(state).release()


def test_a_torn_status_file_is_no_status(tmp_path: Path) -> None:
    state = StateDir.at(tmp_path / "state")
    state.create()
    for text in ("", "{", "[]", '{"processes": [{}]}', '{"processes": 1}', '{"pid": 1, "processes": []}'):
        write_private(state.status_file, text)
        assert read_status(state) is None
    assert read_json(state.root / "nowhere") is None


def test_a_log_that_is_too_long_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "finance.log"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with open_log(path) as log:
        log.write(b"one\ntwo\nthree\n")
    assert tail(path, lines=2) == "two\nthree"
    assert path.with_suffix(".log.1").stat().st_size == MAX_BYTES + 1
    assert tail(tmp_path / "none.log") == ""
