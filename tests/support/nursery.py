"""Services of ours as processes of a test, forked from one that has imported them, as `butlers up` starts them (D82).

One nursery a pytest process, begun at its first use. Each child has a keeper, a process between the nursery and it,
that collects it and says how it ended. Invariant: nothing outlives the pytest process, however that ends. A child is
as `python -m PROGRAM ARGUMENTS` would be, but for its size, and for faults, which are bound when they are imported:
what is about memory, or is killed at a point, starts its process itself.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import IO, Any

from butler_cli.local.environment import SHARED_MODULES
from butler_cli.local.launch.become import become
from butler_cli.local.launch.child import die_with
from butler_cli.local.launch.fork_server import preload
from butler_cli.local.launch.orders import Fork, receive_order, send_order, write_environment
from butler_cli.main import VERBS
from butler_kit.faults.binding import FAULTS_DIR

__all__ = ["Child", "fork"]

_REPOSITORY = Path(__file__).parents[2]
_FORK_S = 90.0
_ENVIRONMENT_BYTES = 60_000
"""Less than what a pipe holds."""
BUTLERS = ("butler_cli.main", *(place.partition(":")[0] for place in VERBS.values()))
"""`butlers` and its verbs."""
CONNECTORS = tuple(f"butler_connectors.{kind}.app" for kind in ("telegram_bot", "imap", "webhook"))


class Child:
    """A forked process; its methods are those of asyncio's `Process`."""

    def __init__(self, answers: socket.socket, pid: int) -> None:
        self.pid = pid
        self._answers = answers
        self._code: int | None = None

    @property
    def returncode(self) -> int | None:
        """The exit code, minus the signal's number when one ended it; None while it runs."""
        if self._code is None:
            with suppress(BlockingIOError):
                self._ended(self._answers.recv(100))
        return self._code

    async def wait(self) -> int:
        """Its `returncode` as soon as it has ended."""
        while self.returncode is None:
            self._ended(await asyncio.get_running_loop().sock_recv(self._answers, 100))
        assert self._code is not None
        return self._code

    def send_signal(self, number: int) -> None:
        """Nothing happens when it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _ended(self, said: bytes) -> None:
        if not said:
            raise RuntimeError(f"the keeper of process {self.pid} ended before it")
        self._code = int(said)
        self._answers.close()


class _Nursery:
    def __init__(self) -> None:
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.support.nursery", str(theirs.fileno()), str(os.getpid())]
        env = {name: value for name, value in os.environ.items() if name != FAULTS_DIR}
        with theirs:
            self._process = subprocess.Popen(command, cwd=_REPOSITORY, env=env, pass_fds=(theirs.fileno(),))
        atexit.register(self._end)

    def _end(self) -> None:
        self.channel.close()
        self._process.kill()
        self._process.wait()


_NURSERIES: dict[int, _Nursery] = {}
_NUMBERS = count(1)


async def fork(
    program: str, *arguments: str, env: Mapping[str, str], log: IO[Any], cwd: Path = _REPOSITORY
) -> Child:
    """Start the module `program` with exactly this environment; `log` takes its stdout and stderr."""
    if os.getpid() not in _NURSERIES:
        _NURSERIES[os.getpid()] = _Nursery()
    channel = _NURSERIES[os.getpid()].channel
    answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        order = Fork(next(_NUMBERS), program, program, arguments, str(cwd), parent=0)
        send_order(channel, order, (log.fileno(), theirs.fileno()))
    answers.send(json.dumps(dict(env)).encode())
    answers.setblocking(False)
    async with asyncio.timeout(_FORK_S):
        # One line and no more: the end is told when this one is answered.
        pid = int(await asyncio.get_running_loop().sock_recv(answers, 100))
    answers.send(b"!")
    return Child(answers, pid)


def main() -> None:
    """The nursery: fork a keeper for each order until nobody is there to give one."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    die_with(int(sys.argv[2]))
    gc.disable()
    preload((*SHARED_MODULES, *CONNECTORS, *BUTLERS))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    me = os.getpid()
    while (received := receive_order(channel)) is not None:
        order, descriptors = received
        assert isinstance(order, Fork)
        if os.fork() == 0:
            channel.close()
            die_with(me)
            _keep(order, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _keep(order: Fork, log: int, answers: int) -> None:
    """Fork the child, say its pid, wait for its end, say how it was. Returns in neither."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    held, begin = os.pipe()
    write_environment(begin, json.loads(os.read(answers, _ENVIRONMENT_BYTES)))
    me = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(answers)
        become(replace(order, parent=me), (log, held))
    os.close(log)
    os.write(answers, str(pid).encode())
    os.read(answers, 1)
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        os.write(answers, str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


if __name__ == "__main__":
    main()
