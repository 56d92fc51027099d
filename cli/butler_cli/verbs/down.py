"""`butlers down`: stop a household in an orderly way and leave nothing running."""

from __future__ import annotations

import os
import signal
import time
from typing import Final

import click

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.verbs.options import state_option

__all__ = ["down"]

PATIENCE_S: Final = 150.0
"""Longer than the ordered stop of all stages and of PostgreSQL together."""
KILL_WAIT_S: Final = 10.0
POLL_S: Final = 0.1


@click.command(short_help="Stop the household.")
@state_option
def down(state: StateDir) -> None:
    """Stop the household of a state directory: connectors first, PostgreSQL last."""
    pid = state.supervisor_pid()
    if pid is None:
        _clear(state)
        click.echo(f"nothing is up in {state.root}")
        return
    if pid == 0:
        raise UserError(f"{state.lock_file} is held by a process that does not say which; try again")
    _signal(pid, signal.SIGTERM)
    if not _gone(state, PATIENCE_S):
        click.echo(f"process {pid} does not stop; killing it", err=True)
        _signal(pid, signal.SIGKILL)
        if not _gone(state, KILL_WAIT_S):
            raise UserError(f"process {pid} cannot be ended; does it belong to another user?")
    _clear(state)
    click.echo(f"the household of {state.root} is down")


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
    except PermissionError:
        raise UserError(f"process {pid} belongs to another user; stop it as that user") from None


def _gone(state: StateDir, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while state.supervisor_pid() is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def _clear(state: StateDir) -> None:
    """Remove what a killed supervisor left behind: its children, and its record of being up."""
    from butler_cli.local.process import end_leftover

    for record in sorted((state.run_dir / "pids").glob("*.json")):
        end_leftover(record)
    state.endpoints_file.unlink(missing_ok=True)
    state.status_file.unlink(missing_ok=True)
