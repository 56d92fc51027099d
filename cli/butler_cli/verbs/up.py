"""`butlers up`: validate everything, start the household, stay until asked to stop."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from pathlib import Path

import click

from butler_cli.errors import UserError
from butler_cli.local.environment import SHARED_MODULES, shared_environment
from butler_cli.local.launch import launcher_of_this_system
from butler_cli.local.state import AlreadyUp, StateDir, SupervisorLock
from butler_cli.verbs.options import manifests_option, port_base_option, state_option

__all__ = ["up"]


@click.command(short_help="Start a household from a directory of manifests.")
@manifests_option
@click.option("--detach", is_flag=True, help="Return when everything is ready; `butlers down` stops it.")
@state_option
@port_base_option
def up(directory: Path, detach: bool, state: StateDir, port_base: int | None) -> None:
    """Start the household that the manifests in DIR describe, and keep it running until Ctrl-C."""
    pid = state.supervisor_pid()
    if pid is not None:
        raise AlreadyUp(state.root, pid or None)
    if detach:
        from butler_cli.local.detach import start_detached

        start_detached(directory, state=state, port_base=port_base, report=click.echo)
    else:
        _run_here(directory, state, port_base)


def _run_here(directory: Path, state: StateDir, port_base: int | None) -> None:
    # First of all: it imports what the services need while this process does its own imports and PostgreSQL starts.
    launcher = launcher_of_this_system(env=shared_environment(), modules=SHARED_MODULES)
    with closing(launcher):
        from butler_cli.local.place import Place
        from butler_cli.local.plan import modules_of
        from butler_cli.local.prepare import prepare

        household = prepare(directory, state=state, port_base=port_base, env=os.environ)
        launcher.preload(modules_of(household.manifests))
        state.create()
        lock = SupervisorLock(state)
        try:
            place = Place(household, state, _say, launcher)
            asyncio.run(place.run())
        finally:
            lock.release()
    if not place.became_ready:
        raise UserError("stopped before the household was ready")


def _say(line: str) -> None:
    """Print a line; a terminal that was closed, or a reader that went away, does not end the household."""
    try:
        click.echo(line)
    except OSError:
        return
