"""Fault points do nothing unless a directory was named; armed ones happen exactly once over all processes."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from butler_kit.faults import InjectedFault
from butler_kit.faults.armed import TAKEN, ArmedFaults
from butler_kit.faults.binding import FAULTS_DIR, bind

POINT = "switchboard.plan.committed"


async def test_without_a_directory_reaching_a_point_does_nothing(tmp_path: Path) -> None:
    (tmp_path / POINT).write_text("raise")
    for directory in (None, ""):
        reached, reached_async = bind(directory)
        reached(POINT)
        await reached_async(POINT, "telegram", "reply")
    assert os.listdir(tmp_path) == [POINT]


async def test_with_a_directory_an_armed_point_happens_once_and_is_kept_as_taken(tmp_path: Path) -> None:
    reached, reached_async = bind(str(tmp_path))
    (tmp_path / POINT).write_text("raise")
    with pytest.raises(InjectedFault, match=POINT):
        await reached_async(POINT)
    await reached_async(POINT)
    reached(POINT)
    assert os.listdir(tmp_path) == [TAKEN]
    (taken,) = os.listdir(tmp_path / TAKEN)
    assert taken.startswith(f"{POINT}#{os.getpid()}#")


async def test_details_choose_who_is_hit(tmp_path: Path) -> None:
    faults = ArmedFaults(tmp_path)
    (tmp_path / f"{POINT}@email.reply").write_text("raise")
    await faults.reached_async(POINT, "telegram", "reply")
    await faults.reached_async(POINT, "email", "send")
    await faults.reached_async(POINT)
    with pytest.raises(InjectedFault):
        await faults.reached_async(POINT, "email", "reply")
    (tmp_path / f"{POINT}@email").write_text("raise")
    with pytest.raises(InjectedFault):
        faults.reached(POINT, "email", "react")


async def test_a_stall_holds_its_own_task_only(tmp_path: Path) -> None:
    faults = ArmedFaults(tmp_path)
    (tmp_path / POINT).write_text("stall 0.3")
    stalled = asyncio.create_task(faults.reached_async(POINT))
    await asyncio.sleep(0)
    await faults.reached_async(POINT)
    assert not stalled.done()
    await asyncio.wait_for(stalled, timeout=60)


def test_a_synchronous_stall_holds_the_process(tmp_path: Path) -> None:
    faults = ArmedFaults(tmp_path)
    (tmp_path / POINT).write_text("stall 0.2")
    before = time.monotonic()
    faults.reached(POINT)
    assert time.monotonic() - before >= 0.2


def test_an_order_that_is_none_is_told(tmp_path: Path) -> None:
    faults = ArmedFaults(tmp_path)
    (tmp_path / POINT).write_text("explode")
    with pytest.raises(ValueError, match="expected 'kill', 'raise' or 'stall SECONDS', found 'explode'"):
        faults.reached(POINT)


def test_of_many_processes_one_is_killed(tmp_path: Path) -> None:
    (tmp_path / POINT).write_text("kill")
    program = f"from butler_kit.faults import reached; reached({POINT!r})"
    environment = os.environ | {FAULTS_DIR: str(tmp_path)}
    processes = [subprocess.Popen([sys.executable, "-c", program], env=environment) for _ in range(3)]
    codes = sorted(process.wait(timeout=300) for process in processes)
    assert codes == [-signal.SIGKILL, 0, 0]
