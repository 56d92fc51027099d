"""How the supervisor starts a process: forked from a parent that has imported what all share, or executed anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from butler_cli.local.launch.executed import ExecLauncher
from butler_cli.local.launch.forked import ForkLauncher, can_fork
from butler_cli.local.launch.process import Launcher

__all__ = ["launcher_of_this_system"]


def launcher_of_this_system(*, env: Mapping[str, str], modules: Sequence[str]) -> Launcher:
    """A launcher that forks where that is possible, else one that executes; arguments as `ForkLauncher`'s."""
    return ForkLauncher(env=env, modules=modules) if can_fork() else ExecLauncher()
