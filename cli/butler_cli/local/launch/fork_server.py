"""The fork server: a process that has imported what the household's programs share, and forks each one (D82).

Run as `python -P -m butler_cli.local.launch.fork_server CHANNEL PARENT_PID`. Invariants: it has one thread, no event
loop, and no open file but its channel; it knows no secret, because its environment is scrubbed and what a process
gets travels with the order. A process is forked twice, so that its parent is the supervisor, which adopts orphans,
sees its end and may lose the fork server without losing a process. Nothing begins before the supervisor says so.
"""

from __future__ import annotations

import gc
import importlib
import os
import socket
import sys
from contextlib import suppress
from typing import NoReturn

import setproctitle

from butler_cli.local.launch.become import become
from butler_cli.local.launch.child import die_with
from butler_cli.local.launch.orders import Fork, Forked, Preload, receive_order, send_forked

__all__ = ["main"]


def main() -> NoReturn:
    """Serve orders until the supervisor is gone."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    die_with(int(sys.argv[2]))
    setproctitle.setproctitle("butlers: fork server")
    # No collection before the fork: freed memory leaves holes that the processes fill, copying a page each.
    gc.disable()
    mine = serve(channel)
    channel.close()
    if mine is None:
        sys.exit(0)
    become(*mine)


def preload(modules: tuple[str, ...]) -> None:
    """Import `modules`. One that is missing or broken is imported again by its own process, which then says why."""
    for module in modules:
        with suppress(Exception):
            importlib.import_module(module)
    gc.freeze()


def serve(channel: socket.socket) -> tuple[Fork, tuple[int, ...]] | None:
    """Fork for each order until the channel is closed (None); returns in each forked process with its order."""
    while (received := receive_order(channel)) is not None:
        order, descriptors = received
        if isinstance(order, Preload):
            preload(order.modules)
            continue
        try:
            pid = fork_orphan()
            answer = Forked(order.number, pid)
        except OSError as error:
            pid, answer = 0, Forked(order.number, None, error.strerror or str(error))
        if pid is None:
            return order, descriptors
        for descriptor in descriptors:
            os.close(descriptor)
        send_forked(channel, answer)
    return None


def fork_orphan() -> int | None:
    """Fork a process whose parent is gone; return its id, or None in the process itself. Raises `OSError`."""
    reading, writing = os.pipe()
    middle = os.fork()
    if middle == 0:
        _fork_and_tell(writing)
        os.close(reading)
        os.close(writing)
        return None
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read().decode()
    os.waitpid(middle, 0)
    if not said.isdigit():
        raise OSError(said or "the process in between ended early")
    return int(said)


def _fork_and_tell(writing: int) -> None:
    """Run between the two forks: fork, report the id, and exit. Returns in the grandchild only."""
    try:
        pid = os.fork()
    except OSError as error:
        os.write(writing, (error.strerror or "fork failed").encode())
        os._exit(1)
    if pid:
        os.write(writing, str(pid).encode())
        os._exit(0)


if __name__ == "__main__":
    main()
