"""The machine that a figure was measured on; without it, a figure says nothing."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["machine_facts"]


def machine_facts() -> dict[str, str]:
    """Return processor, cores, memory, kernel, Python, load, commit and time, as text."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": _memory(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load at start (1, 5, 15 min)": load,
        "commit": _commit(),
        "at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _memory() -> str:
    kilobytes = (_field("/proc/meminfo", "MemTotal") or "0 kB").split()[0]
    return f"{int(kilobytes) / 2**20:.0f} GiB"


def _field(file: str, name: str) -> str | None:
    for line in Path(file).read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None


def _commit() -> str:
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            cwd=Path(__file__).parent,
        )
    except OSError:
        return "unknown"
    return found.stdout.strip() or "unknown"
