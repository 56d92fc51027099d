"""Probe the machine and the state directory: file modes, disk space, clock, age of the last backup."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from butler_cli.doctor.findings import Finding, finding
from butler_cli.doctor.rounds import LeftOut
from butler_cli.local.backup import last_backup
from butler_cli.local.state import StateDir
from butler_cli.local.status import read_status

__all__ = ["backups", "clock", "disk", "file_modes"]

_PRIVATE: Final = ("secrets", "keys", "tokens", "config")
_MOST_NAMED: Final = 5
_MB: Final = 1_000_000
_FULL_BYTES: Final = 200 * _MB
_LOW_BYTES: Final = 1_000 * _MB
_EPOCH_OF_BUTLERS: Final = 2026
_AHEAD: Final = timedelta(minutes=2)
_OLD_BACKUP: Final = timedelta(days=7)


def file_modes(state: StateDir) -> Sequence[Finding]:
    """Whether anybody else may read secrets, keys, tokens or configuration."""
    _there(state)
    mode = stat.S_IRWXG | stat.S_IRWXO
    public = (state.jwks_file, state.revoked_file)
    open_ = [
        path
        for path in _private(state)
        if path not in public and not path.is_symlink() and path.lstat().st_mode & mode
    ]
    shown = ", ".join(str(path) for path in open_[:_MOST_NAMED])
    more = f" and {len(open_) - _MOST_NAMED} more" if len(open_) > _MOST_NAMED else ""
    if not open_:
        return []
    said = f"other users of this machine may read {shown}{more}"
    return [finding("broken", "file modes", said, f"chmod -R go= {state.root}")]


def disk(state: StateDir) -> Sequence[Finding]:
    """Whether the database and the logs have room to grow."""
    _there(state)
    free = shutil.disk_usage(state.root).free
    if free >= _LOW_BYTES:
        return []
    said = f"{free // _MB} MB are left on the disk of {state.root}"
    do = f"make room; the logs are in {state.logs_dir}, the database in {state.root / 'pg'}"
    return [finding("broken" if free < _FULL_BYTES else "risk", "disk", said, do)]


def clock(state: StateDir, *, now: datetime) -> Sequence[Finding]:
    """Whether the clock is plausible: it dates messages and triggers reminders."""
    do = "set the clock, and have it kept by the network (timedatectl set-ntp true)"
    if now.year < _EPOCH_OF_BUTLERS:
        return [finding("broken", "clock", f"the machine says it is {now:%Y-%m-%d}", do)]
    told = read_status(state) if state.root.is_dir() else None
    if told is None:
        return []
    ahead = datetime.fromisoformat(told.updated_at) - now
    if ahead <= _AHEAD:
        return []
    said = (
        f"the household last wrote {ahead.total_seconds() / 60:.0f} minutes from now: the clock was put back"
    )
    return [finding("broken", "clock", said, do)]


def backups(state: StateDir, *, now: datetime) -> Sequence[Finding]:
    """Whether a lost disk would cost a week at most."""
    if not (state.root / "pg").is_dir():
        raise LeftOut("there is nothing to keep yet")
    made = last_backup(state)
    do = "butlers backup FILE, on another disk; docs/how-to/backup.md has it done every night"
    if made is None:
        return [finding("risk", "backup", "none was ever made here", do)]
    age = now - made
    if age <= _OLD_BACKUP:
        return []
    return [finding("risk", "backup", f"the last one is {age.days} days old", do)]


def _there(state: StateDir) -> None:
    if not state.root.is_dir():
        raise LeftOut(f"there is no household in {state.root}")


def _private(state: StateDir) -> Iterator[Path]:
    yield state.root
    for name in _PRIVATE:
        for folder, _, files in os.walk(state.root / name):
            yield Path(folder)
            yield from (Path(folder) / file for file in files)
