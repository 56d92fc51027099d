"""`butlers restore`: a household from a file that `butlers backup` wrote."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from butler_cli.local.state import StateDir, command_to_start
from butler_cli.verbs.options import manifests_option, state_option

__all__ = ["restore"]


@click.command(short_help="Restore a household from a backup.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@manifests_option
@click.option("--replace", is_flag=True, help="Move an existing household aside first.")
@state_option
def restore(file: Path, directory: Path, replace: bool, state: StateDir) -> None:
    """Restore the household from FILE. Nothing is started, and no existing data is deleted.

    Connectors read again what came after the backup, if their providers still have it. A reply sent after the backup
    may be sent a second time.

    \b
    Example:
        butlers restore butlers-2026-11-23.tar -f household
    """
    from butler_cli.local.restore import restore_backup
    from butler_resources.kinds import load_manifests

    manifests = load_manifests(directory)
    about, aside = restore_backup(file, state, manifests, replace=replace, now=datetime.now(UTC))
    if aside is not None:
        click.echo(f"what was there lies in {aside}; remove it when you no longer need it")
    click.echo(f"restored as of {about['made_at']}; `{command_to_start(state, directory)}` starts it")
