"""`butlers` as a test's own process, forked from the nursery, and with it the fork server of `butlers up`.

As `python -m butler_cli.main`, but that nothing has to be imported first, which is most of what a household's start
costs. The fork server is forked before anything of `butlers` has run, and waits for the call that would execute it;
one that is killed is replaced by an executed one. What is about the real start executes `butlers` (the demo, the
commands of the documentation, `tests/integration/local`).

Run by the nursery as `forked_butlers STDERR ARGUMENTS…`; an empty STDERR: where stdout goes.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NoReturn

from butler_cli.local.launch import fork_server, forked
from butler_cli.main import main as butlers
from tests.support.nursery import Child, fork

__all__ = ["ButlersProcess", "begin_butlers", "run_butlers"]

_PROGRAM = "tests.support.forked_butlers"
_ENVIRONMENT_BYTES = 60_000


class ButlersProcess:
    """`butlers` under way; its output, both streams, is read from `stdout`."""

    def __init__(self, child: Child, stdout: asyncio.StreamReader) -> None:
        self._child = child
        self.stdout: asyncio.StreamReader | None = stdout
        self.wait = child.wait
        self.send_signal = child.send_signal
        self.kill = child.kill

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def returncode(self) -> int | None:
        return self._child.returncode


async def begin_butlers(arguments: tuple[str, ...]) -> ButlersProcess:
    """Begin `butlers ARGUMENTS` in this directory and environment."""
    reading, writing = os.pipe()
    stdout = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stdout), os.fdopen(reading, "rb")
    )
    with os.fdopen(writing, "wb") as log:
        return ButlersProcess(await _fork("", arguments, log), stdout)


async def run_butlers(arguments: tuple[str, ...], *, deadline_s: float) -> tuple[int, str, str]:
    """Run `butlers ARGUMENTS` to its end: its exit code, stdout and stderr."""
    with tempfile.TemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        child = await _fork(err.name, arguments, out)
        async with asyncio.timeout(deadline_s):
            code = await child.wait()
        out.seek(0)
        return code, out.read().decode(), err.read().decode()


async def _fork(stderr: str, arguments: tuple[str, ...], log: IO[Any]) -> Child:
    return await fork(_PROGRAM, stderr, *arguments, env=dict(os.environ), log=log, cwd=Path.cwd())


class _Spare:
    """A child that becomes the fork server when that is wanted, or ends with this process."""

    def __init__(self) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            self._orders.close()
            _serve_once(theirs, parent)
        theirs.close()
        self._code: int | None = None

    def start(self, env: Mapping[str, str]) -> tuple[forked.ServerProcess, socket.socket]:
        """As `start_server`, which takes over from then on."""
        forked.start_server = _EXECUTED
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with self._orders, theirs:
            socket.send_fds(self._orders, [json.dumps(dict(env)).encode()], [theirs.fileno()])
        ours.setblocking(False)
        return self, ours

    def poll(self) -> int | None:
        return self._collect(os.WNOHANG)

    def wait(self) -> int:
        code = self._collect(0)
        assert code is not None
        return code

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _collect(self, options: int) -> int | None:
        if self._code is None:
            pid, status = os.waitpid(self.pid, options)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code


_EXECUTED = forked.start_server


def _serve_once(orders: socket.socket, parent: int) -> NoReturn:
    """Wait for the environment and the channel of a fork server, and be that."""
    said, descriptors, _, _ = socket.recv_fds(orders, _ENVIRONMENT_BYTES, 1)
    if not said:
        os._exit(0)
    orders.close()
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(json.loads(said))
    sys.argv = [fork_server.__name__, str(descriptors[0]), str(parent)]
    fork_server.main()


def main() -> None:
    """`butlers`, in a process of the nursery."""
    stderr, *arguments = sys.argv[1:]
    if stderr:
        os.dup2(os.open(stderr, os.O_WRONLY), 2)
    if arguments[:1] == ["up"]:
        forked.start_server = _Spare().start
    butlers(arguments)


if __name__ == "__main__":
    main()
