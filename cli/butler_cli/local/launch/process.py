"""The supervisor's handle on a process that it started: an id, an end to wait for, signals."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

__all__ = ["ForkedProcess", "Launch", "Launcher", "Process", "has_pidfds", "readable"]


@dataclass(frozen=True)
class Launch:
    """One process to start: `name` is what `ps` shows, `argv` begins with the interpreter, `env` is all it gets."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    log: BinaryIO
    """Its stdout and stderr; stdin is empty."""


class Process(Protocol):
    """A started process: leader of a session of its own, a child of this process, dead when this one dies."""

    @property
    def pid(self) -> int:
        """Its id; nobody else's until `wait` has returned."""

    @property
    def returncode(self) -> int | None:
        """The exit code, or minus the number of the signal that ended it; None while it runs."""

    async def wait(self) -> int:
        """Return its `returncode` as soon as it has ended."""

    def terminate(self) -> None:
        """Send SIGTERM; nothing happens when it has ended."""


class Launcher(Protocol):
    """Starts processes."""

    @property
    def pid(self) -> int | None:
        """The process that forks for it, when there is one."""

    def on_replaced(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever that process had ended and another was started."""

    def preload(self, modules: Sequence[str]) -> None:
        """Have these modules loaded before the next start, where that helps."""

    async def launch(self, wanted: Launch) -> Process:
        """Start a process. Raises `OSError` if that is impossible now."""

    async def watch(self) -> None:
        """Keep it able to start processes; until cancelled."""

    def close(self) -> None:
        """Give up what it needed; started processes stay. Safe to repeat."""


class ForkedProcess:
    """A child of this process that this process did not fork itself: known by its pid alone.

    Its pid stays its own until it is collected here, so signals never reach another process.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._pidfd = os.pidfd_open(pid)

    async def wait(self) -> int:
        """Wait until it has ended and reap it; safe to call from several tasks."""
        while self.returncode is None:
            await readable(self._pidfd)
            self._collect()
        return self.returncode

    def terminate(self) -> None:
        """Send SIGTERM; nothing happens when it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGTERM)

    def _collect(self) -> None:
        if self.returncode is not None:
            return
        found, status = os.waitpid(self.pid, os.WNOHANG)
        if found:
            self.returncode = os.waitstatus_to_exitcode(status)
            os.close(self._pidfd)


def has_pidfds() -> bool:
    """Whether this system reports a process's end through a file descriptor (Linux 5.3)."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


async def readable(descriptor: int) -> None:
    """Wait until there is something to read: of a pidfd, the process's end."""
    # A separate descriptor for each wait: a loop keeps one reader per descriptor.
    own = os.dup(descriptor)
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(own, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(own)
        os.close(own)
