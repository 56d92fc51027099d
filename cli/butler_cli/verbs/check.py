"""`butlers check`: report all that `butlers up` would refuse, without starting or stopping anything."""

from __future__ import annotations

import os
from pathlib import Path

import click

from butler_cli.local.state import StateDir
from butler_cli.verbs.options import manifests_option, port_base_option, state_option

__all__ = ["check"]


@click.command(short_help="Check a household for problems before it starts.")
@manifests_option
@state_option
@port_base_option
def check(directory: Path, state: StateDir, port_base: int | None) -> None:
    """Check the manifests in DIR with their secrets and contacts, and report every problem.

    The household of the state directory may be up, so you can check a change before you apply it.

    \b
    Example:
        butlers check -f examples/household
    """
    from butler_cli.local.notes import models_note, notes_of
    from butler_cli.local.prepare import prepare, settle
    from butler_kit.runtime.api.packages import are_installed

    up = state.supervisor_pid() is not None
    if up:
        found = settle(directory, state=state, env=os.environ)
        manifests, secrets = found.manifests, found.secrets
    else:
        household = prepare(directory, state=state, port_base=port_base, env=os.environ)
        manifests, secrets = household.manifests, household.secrets
    butlers, connectors = len(manifests.butlers), len(manifests.connectors)
    counted = f"{_counted(butlers, 'butler')}, {_counted(connectors, 'connector')}"
    click.echo(f"nothing is wrong: {counted}; manifests, secrets and contacts can be used")
    for note in (
        *notes_of(manifests, secrets.what_to_do),
        *models_note(manifests, installed=are_installed()),
    ):
        click.echo(f"note: {note}")
    if up:
        click.echo("the household is up; a change takes effect with `butlers restart`")


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
