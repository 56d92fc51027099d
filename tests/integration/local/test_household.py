"""`butlers up` and `butlers down` on the real command line, with PostgreSQL and stand-ins for the services."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from butler_cli.local.child_state import ChildState
from butler_cli.local.state import StateDir
from butler_cli.local.status import PlaceStatus, read_status

HERE = Path(__file__).parent
DEMO = HERE.parents[2] / "examples" / "demo"
UP = [sys.executable, str(HERE / "up_with_stand_ins.py")]
BUTLERS = [sys.executable, "-m", "butler_cli.main"]
DEADLINE_S = 90


class Household:
    """One state directory and the supervisor that a test started on it."""

    def __init__(self, state: StateDir) -> None:
        self.state = state
        self.output = state.root.parent / "output"
        self.process: subprocess.Popen[bytes] | None = None

    def up(self, *, port_base: int = 0, manifests: Path = DEMO) -> None:
        command = [*UP, "up", "-f", str(manifests), "--state", str(self.state.root)]
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [*command, "--port-base", str(port_base)], stdout=output, stderr=output
            )

    def wait_ready(self) -> PlaceStatus:
        return self.wait_for("ready")

    def wait_for(self, phase: str) -> PlaceStatus:
        assert self.process is not None
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            found = read_status(self.state)
            if found is not None and found.pid == self.process.pid and found.phase == phase:
                return found
            assert self.process.poll() is None, self.output.read_text()
            time.sleep(0.05)
        raise AssertionError(f"not {phase}: {self.output.read_text()}")

    def verb(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*BUTLERS, *arguments, "--state", str(self.state.root)]
        return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)

    def ended(self) -> int:
        assert self.process is not None
        return self.process.wait(DEADLINE_S)

    def log(self, process: str) -> list[dict[str, Any]]:
        lines = self.state.log_file(process).read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]


@pytest.fixture
def household(tmp_path: Path) -> Iterator[Household]:
    made = Household(StateDir.at(tmp_path / "state"))
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.kill()
        made.process.wait(10)


def alive(pid: int | None) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def all_gone(processes: tuple[ChildState, ...]) -> bool:
    deadline = time.monotonic() + 20
    while any(alive(process.pid) for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def postmaster(pid_file: Path) -> int | None:
    """The database server's process, when it says that it is ready."""
    lines = pid_file.read_text().split() if pid_file.exists() else []
    return int(lines[0]) if lines and lines[-1] == "ready" else None


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def _rows(dsn: str, query: str) -> list[tuple[Any, ...]]:
    connection = await asyncpg.connect(dsn, timeout=10)
    try:
        return [tuple(row) for row in await connection.fetch(query)]
    finally:
        await connection.close(timeout=5)


async def test_a_household_comes_up_shows_itself_and_goes_down_whole(household: Household) -> None:
    household.up()
    found = household.wait_ready()
    state = household.state
    endpoints = json.loads(state.endpoints_file.read_text())
    assert [process.name for process in found.processes] == [
        "switchboard", "messenger", "general", "relationship", "health", "finance", "travel",
        "telegram", "mail", "webhook", "dashboard",
    ]  # fmt: skip
    assert f"dashboard: {endpoints['dashboard']}/login?once=" in household.output.read_text()
    assert state.endpoints_file.stat().st_mode & 0o777 == 0o600

    shown = household.verb("status", "--json")
    assert shown.returncode == 0, shown.stderr
    listed = {entry["name"]: entry for entry in json.loads(shown.stdout)["processes"]}
    assert listed["finance"]["ready"] is True
    assert listed["finance"]["eligibility"] == "active"

    dsn = endpoints["database"]["dsn"]
    schemas = await _rows(dsn, "SELECT nspname FROM pg_namespace WHERE nspowner <> 10")
    names = {name for (name,) in schemas}
    assert {"switchboard", "messenger", "shared", "finance", "health", "travel"} <= names
    secret = (state.secrets_dir / "database-switchboard" / "url").read_text().strip()
    assert await _rows(secret, "SELECT count(*) FROM shared.contacts") == [(0,)]
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await _rows(secret, "SELECT * FROM finance.sessions")

    twice = household.verb("up", "-f", str(DEMO))
    assert twice.returncode == 1
    assert "is already up" in twice.stderr

    down = household.verb("down")
    assert (down.returncode, down.stdout) == (0, f"the household of {state.root} is down\n")
    assert household.ended() == 0
    assert all_gone(found.processes)
    assert not any(listens(port) for port in found.ports.values())
    assert not state.endpoints_file.exists()
    assert not state.status_file.exists()
    assert not (state.root / "pg/data/postmaster.pid").exists()


BUTLERS_OF_DEMO = ("messenger", "general", "relationship", "health", "finance", "travel")


def reported_ready(household: Household) -> set[str]:
    """The butlers of which Switchboard was told that their process is ready."""
    calls = [entry for entry in household.log("switchboard") if entry.get("path") == "/ops/v1/evidence"]
    return {entry["body"]["butler"] for entry in calls if entry["body"]["ready"]}


def test_switchboard_learns_of_every_butler_before_it_is_asked_to_route_to_it(household: Household) -> None:
    household.up()
    household.wait_ready()
    deadline = time.monotonic() + DEADLINE_S
    while reported_ready(household) != set(BUTLERS_OF_DEMO):
        assert time.monotonic() < deadline, reported_ready(household)
        time.sleep(0.05)
    os.kill(household.process.pid, signal.SIGINT)  # type: ignore[union-attr]
    assert household.ended() == 0
    calls = [entry for entry in household.log("switchboard") if "method" in entry]
    declared = [entry["path"] for entry in calls if entry["method"] == "PUT"]
    assert declared == [f"/ops/v1/butlers/{name}" for name in BUTLERS_OF_DEMO]
    assert all(entry["authorization"].startswith("Bearer ey") for entry in calls)


def test_a_process_gets_its_own_secrets_and_no_other(household: Household) -> None:
    household.up()
    household.wait_ready()
    household.verb("down")
    environment = {name: household.log(name)[0]["env"] for name in ("finance", "mail", "messenger")}
    assert environment["mail"]["IMAP_PASSWORD"] == "demo-mail-password"
    assert "BUTLERS_DATABASE_URL" not in environment["mail"]
    assert "demo-mail-password" not in json.dumps(environment["finance"])
    assert environment["finance"]["BUTLERS_DATABASE_URL"].startswith("postgresql://butler_finance:")
    contacts = Path(environment["messenger"]["BUTLERS_CONTACTS_FILE"]).read_text()
    assert "Ada Example" in contacts


def test_contacts_are_loaded_before_anything_is_served_and_a_failure_ends_the_start(
    household: Household, tmp_path: Path
) -> None:
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    for path in DEMO.glob("*.yaml"):
        (manifests / path.name).write_text(path.read_text().replace("Ben Example", "Eve Example"))
    household.up(manifests=manifests)
    assert household.ended() == 1
    assert household.log("messenger")[0]["arguments"][-1] == "--sync-contacts"
    assert "butlers: the contacts could not be loaded (exit code 1)" in household.output.read_text()
    assert not household.state.log_file("switchboard").exists()


def test_killing_the_supervisor_ends_everything_and_the_next_start_recovers(household: Household) -> None:
    household.up()
    first = household.wait_ready()
    postmaster = int((household.state.root / "pg/data/postmaster.pid").read_text().split()[0])
    household.process.kill()  # type: ignore[union-attr]
    household.ended()
    assert all_gone(first.processes)
    household.up()
    second = household.wait_ready()
    assert not alive(postmaster)
    assert {process.name for process in second.processes} == {process.name for process in first.processes}
    assert household.verb("down").returncode == 0
    assert household.ended() == 0


def test_a_database_that_is_killed_is_started_again(household: Household) -> None:
    household.up()
    household.wait_ready()
    pid_file = household.state.root / "pg/data/postmaster.pid"
    first = postmaster(pid_file)
    assert first is not None
    os.kill(first, signal.SIGKILL)
    deadline = time.monotonic() + DEADLINE_S
    while postmaster(pid_file) in (None, first):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert "PostgreSQL ended; starting it again" in household.output.read_text()
    assert household.verb("down").returncode == 0


def test_token_files_that_are_deleted_are_made_again(household: Household) -> None:
    household.up()
    household.wait_ready()
    tokens = sorted((household.state.root / "tokens").iterdir())
    assert tokens
    for file in tokens:
        file.unlink()
    deadline = time.monotonic() + DEADLINE_S
    while not all(file.exists() for file in tokens):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert household.verb("down").returncode == 0


def test_a_process_that_cannot_start_is_named_with_its_log_and_nothing_stays(
    household: Household, tmp_path: Path
) -> None:
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    for path in DEMO.glob("*.yaml"):
        (manifests / path.name).write_text(path.read_text().replace("name: travel", "name: broken"))
    household.up(manifests=manifests)
    assert household.ended() == 1
    printed = household.output.read_text()
    assert "butlers: broken is not ready: it ends again and again" in printed
    assert "told to break" in printed
    assert "Traceback" not in printed.split("butlers: broken", 1)[0]
    assert not household.state.endpoints_file.exists()
    left = read_status(household.state)
    assert left is not None
    assert left.phase == "failed"
    assert household.verb("down").returncode == 0


def test_a_taken_port_is_named_before_anything_starts(household: Household) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        household.up(port_base=port)
        assert household.ended() == 1
    assert f"port {port} for switchboard is taken by another program" in household.output.read_text()
    assert not household.state.root.exists()


def test_a_detached_household_returns_when_it_is_ready_and_stays(household: Household) -> None:
    command = [
        *UP,
        "up",
        "-f",
        str(DEMO),
        "--detach",
        "--state",
        str(household.state.root),
        "--port-base",
        "0",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    try:
        assert done.returncode == 0, done.stderr
        assert "ready in " in done.stdout.splitlines()[-1]
        assert household.verb("status").returncode == 0
    finally:
        assert household.verb("down").returncode == 0
    assert "stopped" in household.state.log_file("supervisor").read_text()


def test_who_stops_waiting_for_a_detached_household_is_told_that_it_goes_on(household: Household) -> None:
    place = ["--state", str(household.state.root)]
    command = [*UP, "up", "-f", str(DEMO), "--detach", *place, "--port-base", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline().startswith("PostgreSQL ready")
        waiting.send_signal(signal.SIGINT)
        _, said = waiting.communicate(timeout=DEADLINE_S)
    try:
        assert waiting.returncode == 130
        assert f"goes on coming up; `butlers down --state {household.state.root}` ends it" in said
        assert household.state.supervisor_pid() is not None
    finally:
        assert household.verb("down").returncode == 0
