"""`butlers backup`: the whole household in one file."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from butler_cli.local.state import StateDir
from butler_cli.verbs.options import state_option

__all__ = ["backup"]


@click.command(short_help="Back up the whole household to one file.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@state_option
def backup(file: Path | None, state: StateDir) -> None:
    """Back up database, secrets, keys and checkpoints to FILE (by default butlers-DATE.tar here), at any time.

    FILE contains secrets. Only you can read it; anyone you give it to can read the whole household.

    \b
    Example:
        butlers backup /mnt/disk/butlers.tar
    """
    from butler_cli.local.backup import write_backup

    now = datetime.now(UTC)
    target = file or Path(f"butlers-{now.astimezone():%Y-%m-%d}.tar")
    size = write_backup(state, target, now=now, version=version("butlers"))
    click.echo(f"kept in {target} ({size / 1_000_000:.1f} MB); it holds secrets, keep it as safe as them")
    click.echo(
        f"`butlers restore {target} -f DIR` makes the household of it again; keep DIR, the manifests, too"
    )
