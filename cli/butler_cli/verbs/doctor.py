"""`butlers doctor`: what is wrong with a household, up or not, by weight, each finding with what to do."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option

if TYPE_CHECKING:
    from butler_cli.doctor.rounds import Probe

__all__ = ["doctor"]


@click.command(short_help="Diagnose a household and suggest fixes.")
@click.option(
    "-f",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Manifests of a household that was never up; else those it was started with.",
)
@click.option("--offline", is_flag=True, help="Do not contact providers (Telegram, mail servers, calendars).")
@json_option
@state_option
def doctor(directory: Path | None, offline: bool, as_json: bool, state: StateDir) -> None:
    """Check manifests, secrets, providers, clock, disk, database, processes and queues. Nothing is changed.

    Takes at most half a minute. Works whether or not the household is up, and prints no secrets. Exit code 1 if
    something is wrong, 0 if it may only become so.

    \b
    Example:
        butlers doctor
        butlers doctor --json --offline
    """
    from butler_cli.doctor.rounds import diagnose

    diagnosis = diagnose(_probes(state, directory, offline=offline))
    if as_json:
        print_document(diagnosis.document())
    else:
        for line in diagnosis.lines():
            click.echo(line)
    if not diagnosis.well:
        click.get_current_context().exit(1)


def _probes(state: StateDir, directory: Path | None, *, offline: bool) -> Sequence[Probe]:
    from butler_cli.doctor import database, machine, providers, running, written
    from butler_cli.doctor.rounds import Probe
    from butler_cli.local.status import read_status

    told = read_status(state)
    named = directory or (Path(told.manifests) if told is not None else None)
    now = datetime.now(UTC)
    return (
        Probe("processes", partial(running.processes, state)),
        Probe("database", partial(database.database, state)),
        Probe("manifests and secrets", partial(written.manifests_and_secrets, state, named)),
        Probe("file modes", partial(machine.file_modes, state)),
        *(
            ()
            if offline
            else (Probe("providers", partial(providers.providers, state, named), deadline_s=25.0),)
        ),
        Probe("butlers", partial(running.butlers, state), deadline_s=12.0),
        Probe("models and tools", partial(running.runtimes, state), deadline_s=12.0),
        Probe("connectors", partial(running.connectors, state), deadline_s=12.0),
        Probe("waiting messages", partial(running.waiting, state), deadline_s=12.0),
        Probe("dead letters", partial(running.dead_letters, state), deadline_s=12.0),
        Probe("disk", partial(machine.disk, state)),
        Probe("clock", partial(machine.clock, state, now=now)),
        Probe("backups", partial(machine.backups, state, now=now)),
    )
