"""The demo household as `make run` starts it, for a benchmark: started, watched from outside, stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.measure.cpu import tree_cpu_s

__all__ = ["FORKED", "REFERENCE", "Running", "running"]

FORKED: Final = ("-m", "examples.demo.run")
REFERENCE: Final = ("-m", "bench.start.executed")
"""The same, with every process executed instead of forked."""
DEADLINE_S: Final = 120.0
_POLL_S: Final = 0.002


@dataclass
class Running:
    """A household that is up, with the time since the command and the processor time until then."""

    process: subprocess.Popen[str]
    state: Path
    ready_s: float
    cpu_s: float

    def status(self) -> dict[str, Any]:
        """Return the supervisor's status, as it is in its file."""
        document: dict[str, Any] = json.loads((self.state / "run" / "status.json").read_text("utf-8"))
        return document

    @property
    def supervisor(self) -> int:
        """The process of `butlers up`; everything but the demo's providers is below it."""
        return int(self.status()["pid"])

    def replace(self, name: str) -> tuple[float, float]:
        """Kill a process; return the seconds until its successor exists, and until that one is ready."""
        former = self._of(name)["pid"]
        os.kill(former, signal.SIGKILL)
        killed = time.monotonic()
        _until(lambda: self._of(name)["pid"] not in (None, former), f"another {name}")
        forked = time.monotonic() - killed
        _until(lambda: self._of(name)["state"] == "ready", f"{name} ready")
        return forked, time.monotonic() - killed

    def _of(self, name: str) -> dict[str, Any]:
        return next(one for one in self.status()["processes"] if one["name"] == name)


@contextmanager
def running(program: tuple[str, ...], place: Path) -> Iterator[Running]:
    """Start it on the state directory `place`, and stop it in order at the end."""
    begun = time.monotonic()
    command = [sys.executable, *program, "--stay", "--empty", "--state", str(place)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said = _said_until_up(process)
        if not said[-1].startswith("try:"):
            raise RuntimeError("the household did not start:\n" + "".join(said))
        yield Running(process, place / "run", time.monotonic() - begun, tree_cpu_s(process.pid))
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=DEADLINE_S)


def _said_until_up(process: subprocess.Popen[str]) -> list[str]:
    said = [""]
    for line in process.stdout or ():
        said.append(line)
        if line.startswith("try:"):
            break
    return said


def _until(reached: Any, what: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not reached():
        if time.monotonic() > deadline:
            raise RuntimeError(f"not within {DEADLINE_S:g} s: {what}")
        time.sleep(_POLL_S)
