"""What a process of a household would hold if it ran alone, as in a pod, not forked from a parent that all share."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

__all__ = ["LIMIT_MB", "alone_mb"]

LIMIT_MB = 150
"""What a service may hold at most where it runs alone."""
_ALONE = """
import importlib, pathlib, sys
# `jsonschema` finds checkers of formats that the tests brought and no household installs.
sys.modules["rfc3987_syntax"] = None
importlib.import_module(sys.argv[1])
lines = pathlib.Path("/proc/self/status").read_text().splitlines()
print(next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")))
"""
_SPECIALIST = "butler_specialist.app"
_PROGRAMS = {
    "switchboard": "butler_switchboard.app",
    "messenger": "butler_messenger.app",
    "dashboard": "butler_dashboard.app",
    "telegram": "butler_connectors.telegram_bot.app",
    "mail": "butler_connectors.imap.app",
    "webhook": "butler_connectors.webhook.app",
}


def alone_mb(name: str, pid: int) -> float:
    """MiB of the service `name`: a fresh interpreter with its program, and what `pid` had at its peak for itself."""
    return _program_mb(_PROGRAMS.get(name, _SPECIALIST)) + _own_peak_mb(pid)


@cache
def _program_mb(module: str) -> float:
    done = subprocess.run([sys.executable, "-c", _ALONE, module], capture_output=True, text=True, check=True)
    return float(done.stdout)


def _own_peak_mb(pid: int) -> float:
    status, memory = (_kilobytes(Path(f"/proc/{pid}/{part}")) for part in ("status", "smaps_rollup"))
    now = memory["Private_Dirty"] + memory["Private_Clean"]
    return (now + status["VmHWM"] - status["VmRSS"]) / 1024


def _kilobytes(file: Path) -> dict[str, int]:
    lines = (line.split() for line in file.read_text().splitlines())
    return {words[0].rstrip(":"): int(words[1]) for words in lines if words[-1] == "kB"}
