"""`butlers restart`: restart the household with its current manifests, or one of its processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Final

import click

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.local.status import PlaceStatus, not_up, read_status
from butler_cli.verbs.down import down
from butler_cli.verbs.options import state_option

__all__ = ["restart"]

PATIENCE_S: Final = 120.0
"""How long a process may take to end in order and to serve again."""
POLL_S: Final = 0.1


@click.command(short_help="Restart the household or one process.")
@click.argument("name", required=False)
@state_option
@click.pass_context
def restart(context: click.Context, name: str | None, state: StateDir) -> None:
    """Restart the household in the background with its current manifests, or only the process NAME.

    Before a full restart, manifests, secrets and contacts are checked. If any is wrong, the household stays up.

    \b
    Examples:
        butlers restart
        butlers restart finance
    """
    status = read_status(state) if state.supervisor_pid() is not None else None
    if status is None:
        raise UserError(not_up(state))
    if name is not None:
        _one(name, status, state)
        return
    _check(Path(status.manifests), state)
    context.invoke(down, state=state)
    from butler_cli.local.detach import start_detached

    start_detached(Path(status.manifests), state=state, port_base=status.port_base, report=click.echo)


def _check(directory: Path, state: StateDir) -> None:
    from butler_cli.local.prepare import settle

    settle(directory, state=state, env=os.environ)


def _one(name: str, status: PlaceStatus, state: StateDir) -> None:
    pid = _pid_of(name, status)
    if pid is not None:
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            pid = None
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        now = read_status(state)
        if now is not None and any(
            process.name == name and process.ready and process.pid not in (None, pid)
            for process in now.processes
        ):
            click.echo(f"{name} is up again")
            return
        time.sleep(POLL_S)
    raise UserError(f"{name} is not up again after {PATIENCE_S:g} s; `butlers logs {name}` tells why")


def _pid_of(name: str, status: PlaceStatus) -> int | None:
    """Return the pid of the process of this name. Raises `UserError` if the household has none."""
    known = {process.name: process.pid for process in status.processes}
    if name not in known:
        raise UserError(f"no process {name!r} here; there are {', '.join(known)}")
    return known[name]
