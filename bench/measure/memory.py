"""Proportional memory of a tree of processes: a page shared by n processes counts 1/n in each (proc_pid_smaps(5))."""

from __future__ import annotations

from pathlib import Path

from bench.delivery.processes import family_of

__all__ = ["pss_mb", "pss_mb_by_name"]


def pss_mb_by_name(root: int) -> dict[str, float]:
    """Return the MB by service of `root` and everything below it; PostgreSQL's processes together."""
    found: dict[str, float] = {}
    for pid in family_of(root):
        name = "supervisor" if pid == root else _name(pid)
        found[name] = found.get(name, 0.0) + pss_mb(pid)
    return found


def pss_mb(pid: int) -> float:
    """Return the MB of one process; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def _name(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " ")
    except OSError:
        return "gone"
    if words.startswith("postgres") or "/postgres " in words:
        return "PostgreSQL"
    if words.startswith("butlers: "):
        return words.removeprefix("butlers: ").partition(" (")[0].strip()
    return " ".join(words.split()[:4])
