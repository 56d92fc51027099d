"""Turn a forked copy of the fork server into a process of its own before any code of its program runs.

Invariant: the process is as `python -m PROGRAM ARGUMENTS` in a new session would be: log, environment, directory,
signals, random state, garbage collection. A program opens its loops, connections and exporters after this.
"""

from __future__ import annotations

import gc
import os
import runpy
import signal
import sys
import time
from typing import NoReturn

import setproctitle

from butler_cli.local.launch.child import die_with
from butler_cli.local.launch.orders import Fork, read_environment

__all__ = ["become"]


def become(order: Fork, descriptors: tuple[int, ...]) -> NoReturn:
    """Run the ordered program as `__main__`; ends with its exit code."""
    log, begin = descriptors
    os.setsid()
    env = read_environment(begin)
    if env is None:
        os._exit(0)
    die_with(order.parent)
    _own_files(log)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os.chdir(order.cwd)
    _own_signals()
    setproctitle.setproctitle(f"butlers: {order.name} ({' '.join((order.program, *order.arguments))})")
    gc.enable()
    sys.argv = [order.program, *order.arguments]
    # The fork server imported it for its imports; otherwise `runpy` warns in every log that it is there twice.
    sys.modules.pop(f"{order.program}.__main__", None)
    runpy.run_module(order.program, run_name="__main__", alter_sys=True)
    sys.exit(0)


def _own_files(log: int) -> None:
    """Make the log stdout and stderr, written at once as with `python -u`, and nothing stdin."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, target)
    os.close(nothing)
    os.close(log)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, write_through=True)  # type: ignore[union-attr]


def _own_signals() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
