"""The supervisor's side of the fork server: start it, have it fork, restart it if it was killed.

Invariants: every forked process is a child of this process and is reaped here; one whose answer was lost never
begins, because nobody told it to; losing a fork server costs the start of another and nothing else.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Final, Protocol

from butler_cli.local.launch.executed import ExecLauncher
from butler_cli.local.launch.orders import Fork, Preload, receive_forked, send_order, write_environment
from butler_cli.local.launch.process import ForkedProcess, Launch, Process, has_pidfds, readable

__all__ = ["ForkLauncher", "ServerProcess", "can_fork", "program_of", "start_server"]

ANSWER_S: Final = 60.0
"""Longest wait for a fork; a fork server that has just been started imports first."""
REPLACE_PAUSE_S: Final = 5.0
"""Pause between replacing fork servers that end by themselves; a launch replaces one without waiting."""
_PR_SET_CHILD_SUBREAPER: Final = 36
_PROGRAM: Final = "butler_cli.local.launch.fork_server"


class ServerProcess(Protocol):
    """The part of the fork server's process that is used here."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...

    def wait(self) -> int: ...

    def kill(self) -> None: ...


class ForkRefused(OSError):
    """The system allows no fork now; another fork server could not fork either."""


def can_fork() -> bool:
    """Whether processes can be forked here; if so, orphans become children of this process (prctl(2))."""
    if not sys.platform.startswith("linux") or not has_pidfds():
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0


def program_of(argv: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return module and arguments of `PYTHON -m MODULE ARGUMENTS…`, PYTHON being this one; else None."""
    if len(argv) < 3 or argv[0] != sys.executable or argv[1] != "-m":
        return None
    return argv[2], tuple(argv[3:])


class ForkLauncher:
    """Forks what runs a module of ours, executes everything else.

    The fork server begins to import when this is made: make it early, in the main thread, and use it later.
    `env` is the fork server's own environment, without secrets; `modules` is what it imports at once.
    """

    def __init__(self, *, env: Mapping[str, str], modules: Sequence[str]) -> None:
        self._env = dict(env)
        self._listeners: list[Callable[[], None]] = []
        self._executed = ExecLauncher()
        self._numbers = count(1)
        self._turn = asyncio.Lock()
        self._modules: dict[str, None] = {}
        self._server, self._channel = start_server(self._env)
        self.preload(modules)

    @property
    def pid(self) -> int:
        """The fork server's process."""
        return self._server.pid

    def on_replaced(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever the fork server had ended and another was started."""
        self._listeners.append(listener)

    def preload(self, modules: Sequence[str]) -> None:
        """Have these imported before the next fork; one that fails is left to the process that needs it."""
        self._modules.update(dict.fromkeys(modules))
        with suppress(OSError):
            send_order(self._channel, Preload(tuple(modules)))

    async def launch(self, wanted: Launch) -> Process:
        """Start a process. Raises `OSError` if that is impossible now."""
        found = program_of(wanted.argv)
        if found is None:
            return await self._executed.launch(wanted)
        async with self._turn:
            for _ in range(2):
                try:
                    return await self._fork(wanted, *found)
                except ForkRefused:
                    raise
                except OSError:
                    self._replace()
        return await self._executed.launch(wanted)

    async def watch(self) -> None:
        """Replace the fork server when it ends, so that the next process need not wait for it; until cancelled."""
        while True:
            if self._server.poll() is None:
                await _ended(self._server)
            async with self._turn:
                if self._server.poll() is not None:
                    self._replace()
            await asyncio.sleep(REPLACE_PAUSE_S)

    def close(self) -> None:
        """End the fork server; the processes that it forked stay. Safe to repeat."""
        self._channel.close()
        self._server.kill()
        self._server.wait()

    async def _fork(self, wanted: Launch, program: str, arguments: tuple[str, ...]) -> Process:
        number = next(self._numbers)
        order = Fork(number, wanted.name, program, arguments, str(wanted.cwd), os.getpid())
        reading, writing = os.pipe()
        try:
            try:
                send_order(self._channel, order, (wanted.log.fileno(), reading))
            finally:
                os.close(reading)
            process = ForkedProcess(await self._answer(number))
        except BaseException:
            os.close(writing)
            raise
        # A process that ended meanwhile is found when it is waited for.
        with suppress(BrokenPipeError):
            write_environment(writing, wanted.env)
        return process

    async def _answer(self, number: int) -> int:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(ANSWER_S):
            while packet := await loop.sock_recv(self._channel, 4096):
                answer = receive_forked(packet)
                if answer.number == number and answer.pid is not None:
                    return answer.pid
                if answer.number == number:
                    raise ForkRefused(errno.EAGAIN, answer.problem)
        raise ConnectionResetError(errno.ECONNRESET, "the fork server ended")

    def _replace(self) -> None:
        self.close()
        try:
            self._server, self._channel = start_server(self._env)
        except OSError:
            # Nobody can start a process now; `watch`, or the next launch, tries again.
            return
        self.preload(tuple(self._modules))
        for listener in self._listeners:
            listener()


def start_server(env: Mapping[str, str]) -> tuple[ServerProcess, socket.socket]:
    """Start a fork server; return it and the channel to it. `OSError` if nothing can be started now."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-P", "-m", _PROGRAM, str(theirs.fileno()), str(os.getpid())]
        try:
            server = subprocess.Popen(  # noqa: S603 - our own program
                command,
                stdin=subprocess.DEVNULL,
                env=dict(env),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError:
            ours.close()
            raise
    ours.setblocking(False)
    return server, ours


async def _ended(server: ServerProcess) -> None:
    """Wait until it has ended; reaping it stays with its owner."""
    descriptor = os.pidfd_open(server.pid)
    try:
        await readable(descriptor)
    finally:
        os.close(descriptor)
