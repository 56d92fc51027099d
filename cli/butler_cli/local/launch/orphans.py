"""Find, end and reap processes that a child of the supervisor left behind in sessions of their own.

The supervisor adopts orphans, so they become its children. A child counts as an orphan only if nobody is known to
have started it on two looks in a row: one that is just being started is not known yet.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

__all__ = ["Orphans", "children"]


class Orphans:
    """The orphans of this process."""

    def __init__(self) -> None:
        self._seen: frozenset[int] = frozenset()

    def end(self, known: Collection[int]) -> list[int]:
        """End and reap the children that were unknown on the last look and still are; return their ids."""
        unknown = frozenset(children()) - frozenset(known)
        ended = sorted(unknown & self._seen)
        for pid in ended:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        self._seen = unknown
        return ended


def children() -> list[int]:
    """Return this process's children; empty where the kernel keeps no list of them."""
    found: list[int] = []
    for thread in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, thread.read_text(encoding="ascii").split())
    return found
