"""Cost of a benchmark's processes: CPU seconds and resident memory from /proc, PostgreSQL's backends together.

`butlers: messenger (…)` is identified by its title, `python -m butler_messenger` by its module, the embedded server
by its program.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Reading", "family_of", "read_processes"]

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Reading:
    """CPU seconds since its start and resident bytes of one named group of processes."""

    cpu_s: float
    resident: int


def family_of(root: int) -> dict[int, int]:
    """Return `root` and every process below it, each with its parent."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            fields = _stat(int(entry.name))
            if fields is not None:
                parents[int(entry.name)] = int(fields[1])
    found = {root: parents.get(root, 0)}
    while True:
        more = {pid: parent for pid, parent in parents.items() if parent in found and pid not in found}
        if not more:
            return found
        found |= more


def read_processes(root: int, also: dict[str, int]) -> dict[str, Reading]:
    """Return the readings of everything below `root` and of the processes in `also`, by name."""
    readings: dict[str, Reading] = {}
    named = {pid: _name(pid) for pid in family_of(root)} | {pid: name for name, pid in also.items()}
    for pid, name in named.items():
        fields = _stat(pid)
        if fields is None:
            continue
        before = readings.get(name, Reading(0.0, 0))
        # utime and stime of the process itself; children that it has waited for do not count.
        ticks = sum(int(field) for field in fields[11:13])
        readings[name] = Reading(before.cpu_s + ticks / _TICKS, before.resident + int(fields[21]) * _PAGE)
    return readings


def _stat(pid: int) -> list[str] | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return None


def _name(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return "gone"
    if words[0].startswith("postgres") or words[0].endswith("/postgres"):
        return "postgresql"
    if words[0].startswith("butlers: "):
        return words[0].removeprefix("butlers: ").partition(" (")[0].strip()
    if "-m" in words:
        module = words[words.index("-m") + 1].partition(".")[0].removeprefix("butler_")
        config = next((Path(word).parent.name for word in words if word.endswith("butler.toml")), "")
        return config or module
    return Path(words[0]).name
