"""Launchers for tests: one that executes each process, one that forks it, as on a system that can fork."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from butler_cli.local.launch.executed import ExecLauncher
from butler_cli.local.launch.forked import ForkLauncher, can_fork
from butler_cli.local.launch.process import Launcher

__all__ = ["started_fork_launcher", "started_launcher"]

_PR_SET_CHILD_SUBREAPER = 36


@contextmanager
def started_launcher(kind: str, *, env: Mapping[str, str] | None = None) -> Iterator[Launcher]:
    """`executed` or `forked`; `env` is what a fork server finds modules with."""
    if kind == "executed":
        yield ExecLauncher()
        return
    with started_fork_launcher(env=env) as launcher:
        yield launcher


@contextmanager
def started_fork_launcher(
    *, env: Mapping[str, str] | None = None, modules: Sequence[str] = ()
) -> Iterator[ForkLauncher]:
    """A fork server that has imported `modules`; at the end this process takes no orphans in any more."""
    assert can_fork()
    try:
        with closing(ForkLauncher(env=env or {"PATH": os.defpath}, modules=modules)) as made:
            yield made
    finally:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
