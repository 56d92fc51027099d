"""One child process of the supervisor: started, watched, restarted when it ends, stopped in bounded time.

Invariant: the child dies with the supervisor (`launch`); its whole process group is gone before it is started
again or counted as stopped; a child that answered once and then stays silent is ended and restarted.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from butler_cli.errors import UserError
from butler_cli.local.backoff import RestartPolicy
from butler_cli.local.child_state import ChildState
from butler_cli.local.launch.process import Launch, Launcher, Process
from butler_cli.local.logs import open_log
from butler_cli.local.plan import ProcessSpec
from butler_cli.local.state import StateDir, write_private

__all__ = ["Child", "Probe", "Timing", "end_leftover"]

LEFTOVER_GONE_S: Final = 5.0


class Probe(Protocol):
    """Asks a process whether it can serve."""

    async def __call__(self, url: str) -> bool | None:
        """Return True or False as it answers, None if it does not answer."""


@dataclass(frozen=True)
class Timing:
    """The supervisor's waiting times, in seconds."""

    probe_starting_every_s: float = 0.05
    probe_unready_every_s: float = 0.25
    probe_ready_every_s: float = 5.0
    """A process's end is known at once; this is how soon a running one that cannot serve is found."""
    silent_s: float = 30.0
    """Silence after which a running child that has answered before is ended."""
    first_answer_s: float = 60.0
    grace_s: float = 20.0
    """Between SIGTERM and SIGKILL."""


class Child:
    """Keeps one process running until `stop`."""

    def __init__(
        self,
        spec: ProcessSpec,
        *,
        state: StateDir,
        env: Callable[[], Mapping[str, str]],
        launcher: Launcher,
        probe: Probe,
        changed: Callable[[], None],
        policy: RestartPolicy,
        timing: Timing,
    ) -> None:
        self.spec = spec
        self._state_dir = state
        self._env = env
        self._launcher = launcher
        self._probe = probe
        self._changed = changed
        self._policy = policy
        self._timing = timing
        self._phase = "waiting"
        self._process: Process | None = None
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._endings: deque[float] = deque(maxlen=16)
        self._in_a_row = 0
        self._restarts = 0
        self._last_exit: str | None = None

    def snapshot(self) -> ChildState:
        """Return what is known now."""
        return ChildState(
            name=self.spec.name,
            state=self._phase,
            pid=self._process.pid if self._process is not None else None,
            restarts=self._restarts,
            crash_loop=self._policy.is_crash_loop(tuple(self._endings), now=time.monotonic()),
            last_exit=self._last_exit,
        )

    def start(self) -> None:
        """Begin to keep the process running."""
        self._task = asyncio.create_task(self._keep_running(), name=f"child {self.spec.name}")

    async def stop(self) -> None:
        """End the process: SIGTERM, then SIGKILL after the grace time. Safe to repeat."""
        self._stopping.set()
        if self._task is None:
            return
        self._enter("stopping")
        if self._process is not None:
            await self._end(self._process, self._timing.grace_s)
        await self._task
        self._enter("stopped")

    def kill(self) -> None:
        """End the process group at once; `stop` still has to be awaited."""
        self._stopping.set()
        if self._process is not None:
            _signal_group(self._process.pid, signal.SIGKILL)

    async def _keep_running(self) -> None:
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                await self._run_once()
            except (OSError, UserError) as error:
                why = error.message if isinstance(error, UserError) else error.strerror
                self._last_exit = f"could not be started: {why}"
            if self._stopping.is_set():
                return
            now = time.monotonic()
            self._endings.append(now)
            self._in_a_row = self._policy.in_a_row(before=self._in_a_row, ran_s=now - started)
            self._restarts += 1
            self._phase = "restarting"
            self._changed()
            delay_s = self._policy.delay_s(endings_in_a_row=self._in_a_row, chance=random.random())
            await _wait_at_most(self._stopping, delay_s)

    async def _run_once(self) -> None:
        self._process = process = await self._spawn()
        self._enter("starting")
        if self._stopping.is_set():
            process.terminate()
        watcher = asyncio.create_task(self._watch(process), name=f"watch {self.spec.name}")
        try:
            code = await process.wait()
        finally:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)
        _signal_group(process.pid, signal.SIGKILL)
        self._process = None
        with suppress(OSError):
            self._record_file.unlink(missing_ok=True)
        self._last_exit = _described(code)

    async def _spawn(self) -> Process:
        with open_log(self._state_dir.log_file(self.spec.name)) as log:
            wanted = Launch(self.spec.name, self.spec.argv, self._env(), self._state_dir.root, log)
            process = await self._launcher.launch(wanted)
        record = {"pid": process.pid, "started": _start_time(process.pid)}
        # Without a record nothing is ended later; a running process that is not known here would be started twice.
        with suppress(OSError):
            write_private(self._record_file, json.dumps(record))
        return process

    @property
    def _record_file(self) -> Path:
        return self._state_dir.run_dir / "pids" / f"{self.spec.name}.json"

    async def _watch(self, process: Process) -> None:
        """Follow readiness; end the process when it stays silent."""
        timing = self._timing
        last_answer, allowed_s = time.monotonic(), timing.first_answer_s
        while True:
            answer = await self._probe(self.spec.ready_url)
            if answer is not None:
                last_answer, allowed_s = time.monotonic(), timing.silent_s
                self._enter("ready" if answer else "starting" if self._phase == "starting" else "unready")
            elif self._phase == "ready":
                self._enter("unready")
            if time.monotonic() - last_answer > allowed_s:
                await self._end(process, timing.grace_s)
                return
            await asyncio.sleep(self._probe_again_s())

    def _probe_again_s(self) -> float:
        match self._phase:
            case "ready":
                return self._timing.probe_ready_every_s
            case "starting":
                return self._timing.probe_starting_every_s
            case _:
                return self._timing.probe_unready_every_s

    async def _end(self, process: Process, grace_s: float) -> None:
        if process.returncode is not None:
            return
        try:
            process.terminate()
            async with asyncio.timeout(grace_s):
                await process.wait()
        except ProcessLookupError:
            return
        except TimeoutError:
            _signal_group(process.pid, signal.SIGKILL)
            await process.wait()

    def _enter(self, phase: str) -> None:
        if self._stopping.is_set() and phase not in ("stopping", "stopped"):
            return
        if phase != self._phase:
            self._phase = phase
            self._changed()


def end_leftover(record_file: Path) -> int | None:
    """Kill the process group that a dead supervisor left, if it is still the same; return its pid if so."""
    try:
        record = json.loads(record_file.read_text(encoding="utf-8"))
        pid, started = int(record["pid"]), record["started"]
    except (OSError, ValueError, KeyError, TypeError):
        record_file.unlink(missing_ok=True)
        return None
    record_file.unlink(missing_ok=True)
    if started is None or _start_time(pid) != started:
        return None
    _signal_group(pid, signal.SIGKILL)
    # The process started under its name next must be the only one of that name.
    deadline = time.monotonic() + LEFTOVER_GONE_S
    while _runs(pid, started) and time.monotonic() < deadline:
        time.sleep(0.02)
    return pid


async def _wait_at_most(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _runs(pid: int, started: str) -> bool:
    """Whether that process still runs; one that only waits to be reaped does not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return False
    return fields[19] == started and fields[0] != "Z"


def _start_time(pid: int) -> str | None:
    """Return when the process started, in kernel ticks; with the pid it identifies one process for good."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def _described(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
