"""The supervisor with real processes: started in order, started again, stopped whole, never left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from butler_cli.errors import UserError
from butler_cli.local.backoff import RestartPolicy
from butler_cli.local.child_state import ChildState
from butler_cli.local.launch.process import Launcher
from butler_cli.local.listening import free_ports
from butler_cli.local.plan import ProcessSpec, Stage
from butler_cli.local.probe import http_probe
from butler_cli.local.process import Timing, end_leftover
from butler_cli.local.state import StateDir
from butler_cli.local.supervisor import NotReady, Supervisor
from tests.support.launchers import started_launcher

ROOT = Path(__file__).parents[3]
ENV = {"PATH": os.defpath, "PYTHONPATH": str(Path(__file__).parent)}
"""Finds `child_program`."""
QUICK = RestartPolicy(first_s=0.05, cap_s=0.1)
TIMING = Timing(probe_unready_every_s=0.05, probe_ready_every_s=0.05, first_answer_s=20, grace_s=10)


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    made = StateDir.at(tmp_path / "state")
    made.create()
    return made


def spec(name: str, behaviour: str, notes: Path, *, stage: Stage = Stage.SPECIALISTS) -> ProcessSpec:
    port = next(free_ports())
    return ProcessSpec(
        name=name,
        stage=stage,
        argv=(sys.executable, "-m", "child_program", behaviour, str(port), str(notes)),
        env={},
        port=port,
        ready_url=f"http://127.0.0.1:{port}/readyz",
    )


@pytest.fixture(params=["executed", "forked"])
def launcher(request: pytest.FixtureRequest) -> Iterator[Launcher]:
    """What holds for a process holds for one that is executed and for one that is forked."""
    with started_launcher(request.param, env=ENV) as made:
        yield made


Supervise = Callable[..., AbstractAsyncContextManager[Supervisor]]


@pytest.fixture
def supervised(state: StateDir, launcher: Launcher) -> Supervise:
    @asynccontextmanager
    async def supervise(timing: Timing = TIMING) -> AsyncIterator[Supervisor]:
        supervisor = Supervisor(
            state, env=lambda _: ENV, launcher=launcher, probe=http_probe, policy=QUICK, timing=timing
        )
        try:
            yield supervisor
        finally:
            await supervisor.stop()

    return supervise


async def until(condition: Callable[[], bool], *, deadline_s: float = 90) -> None:
    async with asyncio.timeout(deadline_s):
        while not condition():
            await asyncio.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids(notes: Path, what: str) -> list[int]:
    lines = notes.read_text().splitlines() if notes.exists() else []
    return [int(line.split()[-1]) for line in lines if line.startswith(what)]


def of(supervisor: Supervisor, name: str) -> ChildState:
    return next(child for child in supervisor.snapshot() if child.name == name)


async def test_a_process_that_answers_becomes_ready_and_is_gone_after_stop(
    state: StateDir, tmp_path: Path, supervised: Supervise
) -> None:
    notes = tmp_path / "notes"
    async with supervised() as supervisor:
        supervisor.start([spec("finance", "serve", notes)])
        await supervisor.wait_ready(["finance"], deadline_s=20)
        pid = of(supervisor, "finance").pid
        assert pid is not None
        assert alive(pid)
    assert not alive(pid)
    assert of(supervisor, "finance").state == "stopped"
    assert pids(notes, "stopped") == [pid]
    assert state.log_file("finance").read_text() == "serve speaks\n"
    assert state.log_file("finance").stat().st_mode & 0o777 == 0o600
    assert list((state.run_dir / "pids").iterdir()) == []


async def test_a_process_that_was_killed_is_started_again(tmp_path: Path, supervised: Supervise) -> None:
    async with supervised() as supervisor:
        supervisor.start([spec("finance", "serve", tmp_path / "notes")])
        await supervisor.wait_ready(["finance"], deadline_s=20)
        first = of(supervisor, "finance").pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: of(supervisor, "finance").restarts == 1)
        await supervisor.wait_ready(["finance"], deadline_s=20)
        now = of(supervisor, "finance")
        assert now.pid != first
        assert now.last_exit == "ended by SIGKILL"
        assert not now.crash_loop


async def test_a_process_whose_record_cannot_be_written_is_kept_and_not_started_twice(
    state: StateDir, tmp_path: Path, supervised: Supervise
) -> None:
    notes = tmp_path / "notes"
    (state.run_dir / "pids").write_text("no directory")
    async with supervised() as supervisor:
        supervisor.start([spec("finance", "serve", notes)])
        await supervisor.wait_ready(["finance"], deadline_s=20)
        assert pids(notes, "started") == [of(supervisor, "finance").pid]


async def test_a_process_that_ends_again_and_again_is_called_a_crash_loop_and_shown_with_its_log(
    tmp_path: Path, supervised: Supervise
) -> None:
    async with supervised() as supervisor:
        supervisor.start([spec("good", "serve", tmp_path / "a"), spec("bad", "crash", tmp_path / "b")])
        with pytest.raises(NotReady) as caught:
            await supervisor.wait_ready(["good", "bad"], deadline_s=20)
        assert of(supervisor, "bad").crash_loop
    text = str(caught.value)
    assert text.startswith("bad is not ready: it ends again and again")
    assert "last exit code 7" in text
    assert text.endswith("crash speaks")


async def test_a_process_that_is_never_ready_is_named_at_the_deadline(
    tmp_path: Path, supervised: Supervise
) -> None:
    async with supervised() as supervisor:
        supervisor.start([spec("slow", "unready", tmp_path / "notes")])
        with pytest.raises(NotReady, match=r"slow is not ready: it did not become ready within 0\.5 s"):
            await supervisor.wait_ready(["slow"], deadline_s=0.5)


async def test_a_connector_without_its_source_is_named_and_keeps_running(
    tmp_path: Path, supervised: Supervise
) -> None:
    async with supervised() as supervisor:
        supervisor.start([spec("slow", "unready", tmp_path / "a"), spec("good", "serve", tmp_path / "b")])
        await supervisor.wait_ready(["good"], deadline_s=90)
        assert await supervisor.late_after(["slow", "good"], deadline_s=0.5) == ("slow",)
        assert of(supervisor, "slow").pid is not None
        assert not of(supervisor, "slow").crash_loop


async def test_a_program_that_does_not_exist_is_retried_and_named(
    tmp_path: Path, supervised: Supervise
) -> None:
    missing = spec("gone", "serve", tmp_path / "notes")
    async with supervised() as supervisor:
        supervisor.start(
            [ProcessSpec("gone", missing.stage, ("/no/such/program",), {}, 1, missing.ready_url)]
        )
        with pytest.raises(NotReady, match="gone is not ready"):
            await supervisor.wait_ready(["gone"], deadline_s=20)


async def test_a_secret_that_cannot_be_read_for_a_while_is_named_and_its_process_starts_once_it_can(
    state: StateDir, tmp_path: Path, launcher: Launcher
) -> None:
    closed: list[str] = []

    def env(wanted: ProcessSpec) -> dict[str, str]:
        if wanted.name in closed:
            raise UserError("the token can be read by other users")
        return ENV

    notes = tmp_path / "notes"
    supervisor = Supervisor(state, env=env, launcher=launcher, probe=http_probe, policy=QUICK, timing=TIMING)
    try:
        supervisor.start([spec("telegram", "serve", notes, stage=Stage.CONNECTORS)])
        await supervisor.wait_ready(["telegram"], deadline_s=20)
        closed.append("telegram")
        os.kill(pids(notes, "started")[0], signal.SIGTERM)
        said = "could not be started: the token can be read by other users"
        await until(lambda: of(supervisor, "telegram").last_exit == said)
        closed.clear()
        await until(lambda: of(supervisor, "telegram").ready)
    finally:
        await supervisor.stop()
    assert len(pids(notes, "started")) == 2
    assert pids(notes, "stopped") == pids(notes, "started")


async def test_a_defect_about_one_process_keeps_no_other_from_being_stopped_in_order(
    state: StateDir, tmp_path: Path, launcher: Launcher
) -> None:
    def env(wanted: ProcessSpec) -> dict[str, str]:
        if wanted.name == "mail":
            raise RuntimeError("a defect")
        return ENV

    notes = tmp_path / "notes"
    supervisor = Supervisor(state, env=env, launcher=launcher, probe=http_probe, policy=QUICK, timing=TIMING)
    supervisor.start(
        [
            spec("switchboard", "serve", notes, stage=Stage.SWITCHBOARD),
            spec("mail", "serve", notes, stage=Stage.CONNECTORS),
        ]
    )
    await supervisor.wait_ready(["switchboard"], deadline_s=20)
    with pytest.raises(RuntimeError, match="a defect"):
        await supervisor.stop()
    assert len(pids(notes, "started")) == 1
    assert pids(notes, "stopped") == pids(notes, "started")


async def test_a_process_that_falls_silent_is_ended_and_started_again(
    tmp_path: Path, supervised: Supervise
) -> None:
    notes = tmp_path / "notes"
    async with supervised(replace(TIMING, silent_s=0.5)) as supervisor:
        supervisor.start([spec("stuck", "hang", notes)])
        await supervisor.wait_ready(["stuck"], deadline_s=20)
        await until(lambda: len(pids(notes, "started")) >= 2)
        assert not alive(pids(notes, "started")[0])


async def test_a_process_that_ignores_sigterm_is_killed_after_the_grace_time(
    tmp_path: Path, supervised: Supervise
) -> None:
    async with supervised(replace(TIMING, grace_s=0.3)) as supervisor:
        supervisor.start([spec("deaf", "deaf", tmp_path / "notes")])
        await supervisor.wait_ready(["deaf"], deadline_s=20)
        pid = of(supervisor, "deaf").pid
        assert pid is not None
    assert not alive(pid)
    assert of(supervisor, "deaf").last_exit == "ended by SIGKILL"


async def test_what_a_process_started_ends_with_it(tmp_path: Path, supervised: Supervise) -> None:
    notes = tmp_path / "notes"
    async with supervised() as supervisor:
        supervisor.start([spec("parent", "family", notes)])
        await supervisor.wait_ready(["parent"], deadline_s=20)
        (grandchild,) = pids(notes, "grandchild")
        assert alive(grandchild)
    await until(lambda: not alive(grandchild))


async def test_connectors_are_stopped_before_specialists_and_switchboard_last(
    tmp_path: Path, supervised: Supervise
) -> None:
    notes = tmp_path / "notes"
    specs = [
        spec("switchboard", "serve", notes, stage=Stage.SWITCHBOARD),
        spec("messenger", "serve", notes, stage=Stage.MESSENGER),
        spec("finance", "serve", notes, stage=Stage.SPECIALISTS),
        spec("mail", "serve", notes, stage=Stage.CONNECTORS),
    ]
    async with supervised() as supervisor:
        supervisor.start(specs)
        await supervisor.wait_ready([one.name for one in specs], deadline_s=20)
    stopped = [line.split()[1] for line in notes.read_text().splitlines() if line.startswith("stopped")]
    assert stopped == [str(one.port) for one in reversed(specs)]


async def test_stop_while_a_process_is_still_starting_leaves_nothing(
    tmp_path: Path, supervised: Supervise
) -> None:
    notes = tmp_path / "notes"
    async with supervised() as supervisor:
        supervisor.start([spec("finance", "serve", notes)])
        await asyncio.sleep(0)
    assert of(supervisor, "finance").state == "stopped"
    assert not [pid for pid in pids(notes, "started") if alive(pid)]


LONE_SUPERVISOR = """
    import asyncio, sys
    from pathlib import Path
    from butler_cli.local.plan import ProcessSpec, Stage
    from butler_cli.local.probe import http_probe
    from butler_cli.local.state import StateDir
    from butler_cli.local.supervisor import Supervisor
    from tests.support.launchers import started_launcher

    async def main():
        state = StateDir.at(Path(sys.argv[1]))
        port, notes, kind, programs = int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5]
        url = f"http://127.0.0.1:{port}/readyz"
        argv = (sys.executable, "-m", "child_program", "deaf", str(port), notes)
        env = {"PYTHONPATH": programs}
        with started_launcher(kind, env=env) as launcher:
            supervisor = Supervisor(state, env=lambda _: env, launcher=launcher, probe=http_probe)
            supervisor.start([ProcessSpec("finance", Stage.SPECIALISTS, argv, {}, port, url)])
            await supervisor.wait_ready(["finance"], deadline_s=20)
            print(launcher.pid or 0, flush=True)
            await asyncio.sleep(60)

    asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["executed", "forked"])
async def test_children_die_with_a_supervisor_that_is_killed(
    state: StateDir, tmp_path: Path, kind: str
) -> None:
    notes = tmp_path / "notes"
    script = tmp_path / "lone.py"
    script.write_text(textwrap.dedent(LONE_SUPERVISOR))
    port = str(next(free_ports()))
    arguments = [sys.executable, str(script), str(state.root), port, str(notes), kind, ENV["PYTHONPATH"]]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    lone = await asyncio.create_subprocess_exec(*arguments, stdout=asyncio.subprocess.PIPE, env=env)
    try:
        assert lone.stdout is not None
        fork_server = int(await asyncio.wait_for(lone.stdout.readline(), 90))
        (child,) = pids(notes, "started")
        assert alive(child)
        assert alive(fork_server) == (kind == "forked")
    finally:
        lone.kill()
        await lone.wait()
    await until(lambda: not alive(child))
    await until(lambda: not alive(fork_server))


@pytest.fixture
def sleepers() -> Iterator[tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]]:
    """Two processes with groups of their own."""
    first, second = (subprocess.Popen(["sleep", "60"], start_new_session=True) for _ in range(2))
    yield first, second
    for process in (first, second):
        process.kill()
        process.wait(10)


def test_the_next_supervisor_ends_what_is_left_and_spares_a_reused_pid(
    state: StateDir, sleepers: tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]
) -> None:
    left, other = sleepers
    records = state.run_dir / "pids"
    records.mkdir()
    started = Path(f"/proc/{left.pid}/stat").read_text().rpartition(")")[2].split()[19]
    (records / "left.json").write_text(f'{{"pid": {left.pid}, "started": "{started}"}}')
    (records / "reused.json").write_text(f'{{"pid": {other.pid}, "started": "1"}}')
    (records / "torn.json").write_text('{"pid": ')
    assert [end_leftover(record) for record in sorted(records.iterdir())] == [left.pid, None, None]
    assert left.wait(timeout=90) == -signal.SIGKILL
    assert other.poll() is None
    assert list(records.iterdir()) == []


async def test_a_listener_hears_of_every_change(tmp_path: Path, supervised: Supervise) -> None:
    heard: list[str] = []
    async with supervised() as supervisor:
        supervisor.on_change(lambda: heard.append(of(supervisor, "finance").state))
        supervisor.start([spec("finance", "serve", tmp_path / "notes")])
        await supervisor.wait_ready(["finance"], deadline_s=20)
    assert heard == ["starting", "ready", "stopping", "stopped"]
