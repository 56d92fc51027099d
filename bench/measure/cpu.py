"""Processor time of processes from `/proc`, so that a cost per message does not depend on who else is busy."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

__all__ = ["CpuMeter", "machine_busy_s", "tree_cpu_s"]

_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
_PPID, _UTIME, _CSTIME = 1, 11, 14
"""Places in `/proc/<pid>/stat` after the name, which stands in brackets (proc_pid_stat(5))."""


def tree_cpu_s(root: int, *, without: Collection[int] = ()) -> float:
    """Seconds that a process, its children now, and its children that it has waited for have used.

    The subtrees of `without` are left out.
    """
    stats = {pid: fields for pid in _pids() if (fields := _stat(pid)) is not None}
    members, found = {root}, True
    while found:
        found = False
        for pid, fields in stats.items():
            if pid not in members and pid not in without and int(fields[_PPID]) in members:
                members.add(pid)
                found = True
    ticks = sum(int(value) for pid in members if pid in stats for value in stats[pid][_UTIME : _CSTIME + 1])
    return ticks * _TICK_S


def machine_busy_s() -> float:
    """Seconds that all cores together have worked."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq = (int(value) for value in fields[:7])
    return (user + nice + system + irq + softirq) * _TICK_S


@dataclass
class CpuMeter:
    """Reads what named processes (roots of their trees) use between `start` and `stop`."""

    roots: Mapping[str, int]
    _before: dict[str, float] = field(default_factory=dict)
    _busy_before: float = 0.0

    def start(self) -> None:
        self._before = self._used()
        self._busy_before = machine_busy_s()

    def stop(self) -> dict[str, float]:
        """Seconds by name, and `others`: what the rest of the machine used meanwhile."""
        busy = machine_busy_s() - self._busy_before
        used = {name: seconds - self._before[name] for name, seconds in self._used().items()}
        return {**used, "others": max(0.0, busy - sum(used.values()))}

    def _used(self) -> dict[str, float]:
        """Seconds so far; a root below another one counts for itself alone."""
        roots = set(self.roots.values())
        return {name: tree_cpu_s(pid, without=roots - {pid}) for name, pid in self.roots.items()}


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()
