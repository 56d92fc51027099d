"""The household as a person would run it: `butlers up` in a process of its own."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from butler_cli.local.launch.executed import LAUNCHER
from butler_cli.local.state import StateDir
from butler_cli.local.status import read_status

__all__ = [
    "Begin",
    "DemoFailed",
    "Household",
    "HouseholdProcess",
    "all_ready",
    "executed",
    "only_one",
    "refuse_second",
    "running_household",
    "start_afresh",
]

READY_DEADLINE_S = 240.0
STOP_DEADLINE_S = 60.0
PROGRAM: tuple[str, ...] = ("-m", "butler_cli.main")
"""What Python runs as `butlers`."""
REMEMBERS = ("pg", "providers", "run")
"""Parts of a state directory with messages and read positions: database, test providers, checkpoints."""


class DemoFailed(Exception):
    """The demo cannot continue; the text says why and what to do."""


class HouseholdProcess(Protocol):
    """The interface to `butlers up`, however it was started; as asyncio's `Process` (its output read by lines)."""

    @property
    def pid(self) -> int: ...

    @property
    def stdout(self) -> asyncio.StreamReader | None: ...

    @property
    def returncode(self) -> int | None: ...

    async def wait(self) -> int: ...

    def send_signal(self, signal: int, /) -> None: ...

    def kill(self) -> None: ...


Begin = Callable[[tuple[str, ...]], Awaitable[HouseholdProcess]]
"""Starts `butlers` with these arguments, in its own session."""


class Household:
    """The running household and the addresses of its parts."""

    def __init__(self, state: Path, endpoints: dict[str, Any], process: HouseholdProcess) -> None:
        self.state = state
        self.endpoints = endpoints
        self._process = process

    @property
    def pid(self) -> int:
        """The supervisor's process."""
        return self._process.pid

    async def ended(self) -> int:
        """Wait until `butlers up` ends by itself."""
        return await self._process.wait()


def refuse_second(state: Path) -> None:
    """Raise `DemoFailed` if a household is up in this directory: its files must not be touched."""
    pid = StateDir.at(state).supervisor_pid()
    if pid is not None:
        raise DemoFailed(
            f"the household of {state} is already up (process {pid}); "
            f"`.venv/bin/butlers down --state {state}` stops it"
        )


@contextmanager
def only_one(state: Path) -> Iterator[None]:
    """Lock the directory before the first file is written in it; raise `DemoFailed` for a second start.

    The supervisor's own lock comes too late: by then a second start has replaced the first one's manifests.
    """
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (state / "demo.lock").open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            refuse_second(state)
            raise DemoFailed(
                f"the household of {state} is already up, or just starting; Ctrl-C where it was started stops it"
            ) from None
        yield


def start_afresh(state: Path) -> None:
    """Delete the messages of an earlier demo, so that its answers are not mixed with this one's."""
    refuse_second(state)
    for name in REMEMBERS:
        shutil.rmtree(state / name, ignore_errors=True)


async def executed(arguments: tuple[str, ...]) -> HouseholdProcess:
    """Execute `butlers`; it and its children end with this process, even if this one is killed."""
    launcher = (sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), sys.executable)
    return await asyncio.create_subprocess_exec(
        *(*launcher, *PROGRAM, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )


@asynccontextmanager
async def running_household(
    manifests: Path, state: Path, report: Callable[[str], None], *, begin: Begin = executed
) -> AsyncIterator[Household]:
    """Start the household on free ports, yield it when it is ready, stop it in order at the end."""
    refuse_second(state)
    endpoints_file = state / "endpoints.json"
    endpoints_file.unlink(missing_ok=True)
    process = await begin(("up", "-f", str(manifests), "--state", str(state), "--port-base", "0"))
    relay = asyncio.create_task(_relay(process, report))
    try:
        await _ready(process, StateDir(state))
        yield Household(state, json.loads(endpoints_file.read_text("utf-8")), process)
    finally:
        await _stop(process)
        await asyncio.wait({relay}, timeout=5)


async def _relay(process: HouseholdProcess, report: Callable[[str], None]) -> None:
    if process.stdout is None:
        return
    async for line in process.stdout:
        report(line.decode("utf-8", "replace").rstrip())


async def _ready(process: HouseholdProcess, state: StateDir) -> None:
    """Wait for every process, including connectors: on a slow machine a household is up before they reach their
    sources, and a new connector treats messages from before that as history."""
    try:
        async with asyncio.timeout(READY_DEADLINE_S):
            while not await asyncio.to_thread(all_ready, state):
                if process.returncode is not None:
                    raise DemoFailed(
                        f"butlers up ended with exit code {process.returncode}; the lines above say why"
                    )
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise DemoFailed(f"the household was not ready within {READY_DEADLINE_S:g} s") from None


def all_ready(state: StateDir) -> bool:
    """Return whether the supervisor of this directory reports that every process is ready."""
    told = read_status(state) if state.endpoints_file.exists() else None
    return told is not None and told.phase == "ready" and all(one.ready for one in told.processes)


async def _stop(process: HouseholdProcess) -> None:
    """Stop in order, or at once if this is cancelled too: `butlers up` then ends its processes itself."""
    if process.returncode is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        await _ended(process)
    except asyncio.CancelledError:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            await _ended(process)
        raise


async def _ended(process: HouseholdProcess) -> None:
    try:
        async with asyncio.timeout(STOP_DEADLINE_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
