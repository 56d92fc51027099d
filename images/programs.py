"""Runs the programs that images are built with."""

from __future__ import annotations

import subprocess


class BuildFailed(Exception):
    """A message for the user: what failed, with its last lines of output."""


def run(*command: str) -> str:
    """Run a program and return its output. A failure shows its last lines."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError:
        raise BuildFailed(f"{command[0]} is not installed (a Debian package of that name)") from None
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise BuildFailed(f"{' '.join(command[:3])} … ended with {done.returncode}:\n{last}")
    return done.stdout.strip()
