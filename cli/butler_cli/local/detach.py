"""`butlers up --detach`: the same command in a session of its own, followed until it is ready or has failed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from butler_cli.errors import UserError
from butler_cli.local.logs import open_log
from butler_cli.local.prepare import prepare
from butler_cli.local.state import StateDir, place_of
from butler_cli.local.status import read_status

__all__ = ["start_detached"]

PROGRAM: tuple[str, ...] = ("-P", "-m", "butler_cli.main")
"""What Python runs as the supervisor."""

DEADLINE_S: Final = 600.0
POLL_S: Final = 0.1


def start_detached(
    directory: Path, *, state: StateDir, port_base: int | None, report: Callable[[str], None]
) -> None:
    """Check the household, then start the supervisor.

    Its lines go to `<state>/logs/supervisor.log` and, until it is ready, to `report`.
    """
    prepare(directory, state=state, port_base=port_base, env=os.environ)
    state.create()
    state.status_file.unlink(missing_ok=True)
    log_file = state.log_file("supervisor")
    command = [sys.executable, *PROGRAM, "up", "-f", str(directory.absolute())]
    command += ["--state", str(state.root)]
    command += [] if port_base is None else ["--port-base", str(port_base)]
    with open_log(log_file) as log:
        offset = log.seek(0, 2)
        process = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    try:
        _follow(process, state, log_file, offset, report)
    except KeyboardInterrupt:
        click.echo(f"the household goes on coming up; `butlers down{place_of(state)}` ends it", err=True)
        raise


def _follow(
    process: subprocess.Popen[bytes],
    state: StateDir,
    log_file: Path,
    offset: int,
    report: Callable[[str], None],
) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        code = process.poll()
        status = read_status(state)
        ready = status is not None and status.pid == process.pid and status.phase == "ready"
        offset = _pass_on(log_file, offset, report)
        if code is not None:
            raise UserError(f"the household did not start (exit code {code}); see {log_file}")
        if ready:
            return
        time.sleep(POLL_S)
    process.terminate()
    raise UserError(f"the household was not ready within {DEADLINE_S:g} s and is stopped; see {log_file}")


def _pass_on(log_file: Path, offset: int, report: Callable[[str], None]) -> int:
    """Print what the supervisor wrote since `offset`: progress to `report`, errors to stderr."""
    with log_file.open("rb") as file:
        file.seek(offset)
        new = file.read()
    whole = new[: new.rfind(b"\n") + 1]
    for line in whole.decode(errors="replace").splitlines():
        if line.startswith("butlers: "):
            click.echo(line, err=True)
        else:
            report(line)
    return offset + len(whole)
