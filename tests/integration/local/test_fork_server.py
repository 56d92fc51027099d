"""The fork server: what it forks is a process of its own, and what happens when it, or an answer of its, is lost."""

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from butler_cli.local.environment import INHERITED, SHARED_MODULES, shared_environment
from butler_cli.local.launch import forked, launcher_of_this_system
from butler_cli.local.launch.executed import ExecLauncher
from butler_cli.local.launch.forked import ForkLauncher
from butler_cli.local.launch.orphans import Orphans, children
from butler_cli.local.launch.process import Launch, Process
from butler_cli.local.logs import open_log
from tests.support.household import is_alive
from tests.support.launchers import started_fork_launcher

HERE = str(Path(__file__).parent)
ENV = {"PATH": os.defpath, "PYTHONPATH": HERE}
CONNECTORS = ("telegram_bot", "imap", "webhook")


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def launcher(told: list[str]) -> Iterator[ForkLauncher]:
    with started_fork_launcher(env=ENV, modules=["colorsys"]) as made:
        made.on_replaced(lambda: told.append("replaced"))
        yield made


class Programs:
    """Runs `telling_program`s in one directory and reads what they wrote."""

    def __init__(self, folder: Path, launcher: ForkLauncher) -> None:
        self.folder = folder
        self._launcher = launcher

    async def start(self, name: str, *, env: Mapping[str, str] = ENV, code: int = 0) -> Process:
        argv = (sys.executable, "-m", "telling_program", str(self.folder / name), str(code))
        with open_log(self.folder / f"{name}.log") as log:
            return await self._launcher.launch(Launch(name, argv, env, self.folder, log))

    def told(self, name: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.folder / name).read_text())
        return document

    async def run(self, name: str, *, env: Mapping[str, str] = ENV) -> dict[str, Any]:
        assert await (await self.start(name, env=env)).wait() == 0, (self.folder / f"{name}.log").read_text()
        return self.told(name)


@pytest.fixture
def programs(tmp_path: Path, launcher: ForkLauncher) -> Programs:
    return Programs(tmp_path, launcher)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that this one started itself."""
    started = subprocess.Popen(["sleep", "60"])
    yield started
    started.kill()
    started.wait(10)


def memory_of(pid: int) -> bytes:
    """All that a process may write to."""
    found = b""
    with Path(f"/proc/{pid}/mem").open("rb") as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights = line.split()[:2]
            if rights.startswith("rw") and "[v" not in line:
                first, last = (int(edge, 16) for edge in span.split("-"))
                memory.seek(first)
                found += memory.read(last - first)
    return found


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(90):
        while not condition():
            await asyncio.sleep(0.02)


async def test_a_program_that_was_imported_before_it_is_forked_begins_with_a_clean_log(
    tmp_path: Path,
) -> None:
    argv, log = (sys.executable, "-m", "ensurepip", "--version"), tmp_path / "program.log"
    with (
        started_fork_launcher(env=ENV, modules=["ensurepip.__main__"]) as launcher,
        open_log(log) as opened,
    ):
        process = await launcher.launch(Launch("program", argv, ENV, tmp_path, opened))
        assert await process.wait() == 0
    [line] = log.read_text().splitlines()
    assert line.startswith("pip "), line


async def test_a_forked_process_is_as_one_that_was_executed_in_a_session_of_its_own(
    programs: Programs,
) -> None:
    found = await programs.run("finance", env=ENV | {"GREETING": "hello"})
    assert found["session"] == found["pid"]
    assert found["parent"] == os.getpid()
    assert found["directory"] == str(programs.folder)
    assert found["environment"] == ENV | {"GREETING": "hello"}
    assert found["arguments"] == [str(programs.folder / "finance"), "0"]
    assert (found["module"], found["is_main"]) == ("__main__", True)
    assert found["stdin"] == ""
    assert found["files"] == [os.devnull, *[str(programs.folder / "finance.log")] * 2]
    assert (found["blocked"], found["sigterm"], found["threads"]) == ([], str(signal.SIG_DFL), 1)
    assert found["collects"] is True
    assert (programs.folder / "finance.log").read_text() == "said on stdout\nsaid on stderr\n"


async def test_what_was_preloaded_is_there_and_ps_says_which_service_a_process_is(programs: Programs) -> None:
    found = await programs.run("finance")
    assert found["loaded"] is True
    assert found["title"].startswith("butlers: finance (telling_program ")


async def test_two_forked_processes_share_no_randomness(programs: Programs) -> None:
    first, second = await programs.run("finance"), await programs.run("health")
    assert not set(first["chance"]) & set(second["chance"])


async def test_its_exit_code_or_its_signal_is_told(programs: Programs) -> None:
    process = await programs.start("finance", code=7)
    assert await process.wait() == 7
    assert await process.wait() == 7
    assert process.returncode == 7
    process.terminate()
    child = (sys.executable, "-m", "child_program", "crash", "0")
    with open_log(programs.folder / "log") as log:
        ended = await programs._launcher.launch(Launch("x", child, ENV, programs.folder, log))
    os.kill(ended.pid, signal.SIGKILL)
    assert await ended.wait() in (-signal.SIGKILL, 7)


async def test_a_program_that_does_not_exist_says_so_in_its_log(
    launcher: ForkLauncher, tmp_path: Path
) -> None:
    with open_log(tmp_path / "log") as log:
        wanted = Launch("gone", (sys.executable, "-m", "no_such_program"), ENV, tmp_path, log)
        process = await launcher.launch(wanted)
    assert await process.wait() == 1
    assert "no_such_program" in (tmp_path / "log").read_text()


def test_it_has_one_thread_and_no_file_but_its_channel_with_all_that_a_household_preloads(
    tmp_path: Path,
) -> None:
    modules = (*SHARED_MODULES, *(f"butler_connectors.{kind}.app" for kind in CONNECTORS))

    async def forked_once(launcher: ForkLauncher) -> None:
        await Programs(tmp_path, launcher).run("finance")

    with started_fork_launcher(env=shared_environment() | ENV, modules=modules) as launcher:
        asyncio.run(forked_once(launcher))
        process = Path(f"/proc/{launcher.pid}")
        assert len(list((process / "task").iterdir())) == 1
        files = {int(link.name): str(link.readlink()) for link in (process / "fd").iterdir()}
        others = [target for number, target in files.items() if number > 2]
        assert len(others) == 1
        assert others[0].startswith("socket:")


def test_it_knows_no_secret_of_whoever_started_the_household() -> None:
    secret = {"BUTLERS_SECRET_BOT_TOKEN": "12345:canary", "AWS_SECRET_ACCESS_KEY": "canary"}
    with started_fork_launcher(env=shared_environment(os.environ | secret)) as launcher:
        environment = Path(f"/proc/{launcher.pid}/environ").read_bytes()
    assert b"canary" not in environment
    names = {entry.partition(b"=")[0].decode() for entry in environment.split(b"\0") if entry}
    assert names <= {*INHERITED, "NO_PROXY", "no_proxy", "PYTHONSAFEPATH", "PYTHONUNBUFFERED"} | {
        name for name in os.environ if name.startswith("OTEL_")
    }


async def test_what_one_process_is_told_never_passes_through_the_fork_server(
    programs: Programs, launcher: ForkLauncher
) -> None:
    canary = "12345:" + "canary-of-messenger"
    found = await programs.run("messenger", env=ENV | {"BOT_TOKEN": canary})
    assert found["environment"]["BOT_TOKEN"] == canary
    assert canary.encode() not in memory_of(launcher.pid)
    assert b"telling_program" in memory_of(launcher.pid)


async def test_a_killed_fork_server_takes_no_process_with_it_and_another_takes_its_place(
    programs: Programs, launcher: ForkLauncher, told: list[str]
) -> None:
    child = (sys.executable, "-m", "child_program", "deaf", "0", str(programs.folder / "notes"))
    with open_log(programs.folder / "log") as log:
        process = await launcher.launch(Launch("finance", child, ENV, programs.folder, log))
    former = launcher.pid
    os.kill(former, signal.SIGKILL)
    assert (await programs.run("health"))["loaded"] is True
    assert launcher.pid != former
    assert told == ["replaced"]
    assert is_alive(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    assert await process.wait() == -signal.SIGKILL


async def test_a_fork_server_is_replaced_before_anybody_needs_it(
    launcher: ForkLauncher, told: list[str]
) -> None:
    former, watching = launcher.pid, asyncio.create_task(launcher.watch())
    try:
        os.kill(former, signal.SIGKILL)
        await until(lambda: launcher.pid != former and is_alive(launcher.pid))
    finally:
        watching.cancel()
    assert told == ["replaced"]


async def test_a_machine_that_can_start_nothing_for_a_moment_ends_no_household(
    launcher: ForkLauncher, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forked, "REPLACE_PAUSE_S", 0.05)
    tries: list[int] = []

    def full(*_: object, **__: object) -> None:
        tries.append(1)
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    watching = asyncio.create_task(launcher.watch())
    try:
        with monkeypatch.context() as patched:
            patched.setattr(subprocess, "Popen", full)
            os.kill(launcher.pid, signal.SIGKILL)
            await until(lambda: len(tries) >= 2)
            assert told == []
        await until(lambda: told == ["replaced"])
        assert is_alive(launcher.pid)
        assert not watching.done()
    finally:
        watching.cancel()


async def test_where_no_fork_server_stays_alive_processes_are_executed(
    programs: Programs, launcher: ForkLauncher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forked, "_PROGRAM", "no_such_program")
    os.kill(launcher.pid, signal.SIGKILL)
    found = await programs.run("finance")
    assert found["session"] == found["pid"]
    assert found["title"].endswith(f"-m telling_program {programs.folder}/finance 0")


async def test_a_process_whose_answer_was_lost_never_begins_and_the_next_one_is_not_taken_for_it(
    programs: Programs, launcher: ForkLauncher
) -> None:
    os.kill(launcher.pid, signal.SIGSTOP)
    given_up = asyncio.create_task(programs.start("finance"))
    await asyncio.sleep(0.1)
    given_up.cancel()
    await asyncio.wait([given_up])
    os.kill(launcher.pid, signal.SIGCONT)
    found = await programs.run("health")
    assert found["arguments"] == [str(programs.folder / "health"), "0"]
    assert not (programs.folder / "finance").exists()
    assert (programs.folder / "finance.log").read_text() == ""


async def test_what_an_ended_process_left_in_another_session_is_ended_and_nothing_else(
    programs: Programs, launcher: ForkLauncher, sleeper: subprocess.Popen[bytes]
) -> None:
    notes = programs.folder / "notes"
    family = (sys.executable, "-m", "child_program", "emigrants", "0", str(notes))
    known = set(children())
    with open_log(programs.folder / "log") as log:
        process = await launcher.launch(Launch("finance", family, ENV, programs.folder, log))
    assert await process.wait() == 0
    left = int(notes.read_text().splitlines()[-1].split()[-1])
    orphans = Orphans()
    assert orphans.end(known) == []
    assert is_alive(left)
    assert orphans.end(known) == [left]
    await until(lambda: not is_alive(left))
    assert sleeper.poll() is None


def test_where_nothing_can_be_forked_processes_are_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    made = launcher_of_this_system(env={}, modules=())
    assert isinstance(made, ExecLauncher)
