"""Make a state directory from a backup: built beside its place and moved there when it is complete.

Invariant: what was there is moved aside, never deleted; a restore that fails leaves it where it was.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tarfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from butler_cli.errors import UserError
from butler_cli.local.backup import ABOUT, DUMP, FOLDERS, about_of, postgres_program
from butler_cli.local.postgres import DATABASE, EmbeddedPostgres
from butler_cli.local.provision import provision_household
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import AlreadyUp, StateDir
from butler_kit.db import provision
from butler_resources.kinds import Manifests

__all__ = ["restore_backup"]

_MOST_BYTES_A_FILE: Final = 10_000_000
"""Limit for a secret, a key or a checkpoint."""

_AS_IT_WAS: Final = ("--no-owner", "--no-privileges", "--exit-on-error")
"""What the dump holds, but not whose it was: a butler of then may be none now."""


def restore_backup(
    file: Path, state: StateDir, manifests: Manifests, *, replace: bool, now: datetime
) -> tuple[Mapping[str, Any], Path | None]:
    """Restore `state` from `file`; return the backup's description, and where the former state is now.

    Raises `UserError`: the household is up, the place is taken and `replace` is not given, the file is no backup.
    """
    _refuse_if_up(state)
    taken = (state.root / "pg").exists()
    if taken and not replace:
        raise UserError(
            f"there is a household in {state.root}; --replace moves it aside and restores over it"
        )
    building = StateDir.at(state.root.with_name(f".{state.root.name}.restoring"))
    shutil.rmtree(building.root, ignore_errors=True)
    try:
        about = _unpacked(file, building)
        _load(building, manifests)
        _refuse_if_up(state)
        aside = _moved_aside(state, now) if state.root.exists() else None
        building.root.rename(state.root)
    finally:
        shutil.rmtree(building.root, ignore_errors=True)
    return about, aside


def _refuse_if_up(state: StateDir) -> None:
    pid = state.supervisor_pid()
    if pid is not None:
        raise AlreadyUp(state.root, pid or None)


def _unpacked(file: Path, building: StateDir) -> Mapping[str, Any]:
    """Unpack the backup below `building`; return its description of itself."""
    with _opened(file) as archive:
        try:
            about = about_of(archive, file)
            building.create()
            _unpack(archive, building.root)
        except tarfile.ReadError as error:
            raise UserError(f"{file} is cut off or damaged ({error}); nothing was restored") from None
    return about


def _opened(file: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(file, mode="r:")
    except FileNotFoundError:
        raise UserError(f"there is no file {file}") from None
    except (OSError, tarfile.TarError):
        raise UserError(f"{file} is no backup of a household") from None


def _unpack(archive: tarfile.TarFile, root: Path) -> None:
    """Unpack the backup's files, for their owner alone; refuse anything that a backup never holds."""
    for member in archive.getmembers():
        if member.name == ABOUT:
            continue
        path = PurePosixPath(member.name)
        known = member.name == DUMP or any(path.is_relative_to(folder) for folder in FOLDERS)
        small = member.name == DUMP or member.size <= _MOST_BYTES_A_FILE
        data = (
            archive.extractfile(member)
            if member.isreg() and known and small and ".." not in path.parts
            else None
        )
        if data is None:
            raise UserError(
                f"the backup holds {member.name!r}, which is not part of one; nothing was restored"
            )
        target = root / path
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with data, os.fdopen(descriptor, "wb") as written:
            shutil.copyfileobj(data, written)


def _load(building: StateDir, manifests: Manifests) -> None:
    """Put the dump into a new database, then give it the roles, rights and tables of this version.

    The roles have the passwords of the backup's secrets.
    """
    dump = building.root / DUMP
    if not dump.is_file():
        raise UserError("the backup holds no database; nothing was restored")
    server = EmbeddedPostgres(building.root)
    server.start()
    try:
        # Closed to others while it is empty.
        asyncio.run(provision(server.admin_dsn, ()))
        postgres_program("pg_restore", server.admin_dsn, *_AS_IT_WAS, f"--dbname={DATABASE}", str(dump))
        known = Secrets(building, os.environ, manifests)
        asyncio.run(provision_household(manifests, admin_dsn=server.admin_dsn, dsn=server.dsn, known=known))
    finally:
        server.stop()
    dump.unlink()


def _moved_aside(state: StateDir, now: datetime) -> Path:
    for name in _names(state.root, now):
        if not name.exists():
            state.root.rename(name)
            return name
    raise UserError(f"{state.root} could not be moved aside")


def _names(root: Path, now: datetime) -> Iterator[Path]:
    stamp = f"{root.name}.before-{now:%Y%m%dT%H%M%S}"
    yield from (root.with_name(f"{stamp}{more}") for more in ("", "-2", "-3"))
