"""Processor time of processes from `/proc`, so that a cost per message does not depend on other load."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

__all__ = ["CpuMeter", "machine_busy_s", "tree_cpu_s"]

_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
_PPID, _UTIME, _CSTIME = 1, 11, 14
"""Fields of `/proc/<pid>/stat` after the name in brackets (proc_pid_stat(5))."""


def tree_cpu_s(root: int) -> float:
    """Return the CPU seconds of a process, everything below it now, and the children they have waited for."""
    stats = {pid: fields for pid in _pids() if (fields := _stat(pid)) is not None}
    members, found = {root}, True
    while found:
        found = False
        for pid, fields in stats.items():
            if pid not in members and int(fields[_PPID]) in members:
                members.add(pid)
                found = True
    ticks = sum(int(value) for pid in members if pid in stats for value in stats[pid][_UTIME : _CSTIME + 1])
    return ticks * _TICK_S


def machine_busy_s() -> float:
    """Return the busy seconds of all cores together."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq = (int(value) for value in fields[:7])
    return (user + nice + system + irq + softirq) * _TICK_S


@dataclass
class CpuMeter:
    """Measures what named processes (roots of their trees) use between `start` and `stop`.

    Reading does not count against this process: its own time is read last at the start and first at the end.
    """

    roots: Mapping[str, int]
    _before: dict[str, float] = field(default_factory=dict)
    _busy_before: float = 0.0

    def start(self) -> None:
        self._busy_before = machine_busy_s()
        self._before = self._trees()
        self._before.update(self._own())

    def stop(self) -> dict[str, float]:
        """Return the seconds by name, and `others`: what the rest of the machine used meanwhile."""
        own = self._own()
        now = {**self._trees(), **own}
        busy = machine_busy_s() - self._busy_before
        used = {name: seconds - self._before[name] for name, seconds in now.items()}
        return {**used, "others": max(0.0, busy - sum(used.values()))}

    def _trees(self) -> dict[str, float]:
        """Return the seconds so far of the trees of all other processes."""
        return {name: tree_cpu_s(pid) for name, pid in self.roots.items() if pid != os.getpid()}

    def _own(self) -> dict[str, float]:
        """Return the seconds so far of this process and of the children it has waited for."""
        used = os.times()
        seconds = time.process_time() + used.children_user + used.children_system
        return {name: seconds for name, pid in self.roots.items() if pid == os.getpid()}


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()
