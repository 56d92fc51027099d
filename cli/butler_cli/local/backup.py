"""One file with the whole household: its database, its secrets and keys, and its connectors' checkpoints.

Invariant: the checkpoints are never newer than the database, so that after a restore a connector reads again what
came since, and nothing is left out; a file is complete or does not exist.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from butler_cli.errors import UserError
from butler_cli.local.postgres import EmbeddedPostgres
from butler_cli.local.postgres_host import binaries, scrubbed_environment
from butler_cli.local.state import StateDir, read_json, write_private

__all__ = ["ABOUT", "DUMP", "FOLDERS", "about_of", "last_backup", "postgres_program", "write_backup"]

FORMAT: Final = 1
ABOUT: Final = "about.json"
DUMP: Final = "database.dump"
FOLDERS: Final = ("secrets", "keys", "run/connectors")
"""The parts of the state directory that are kept; logs, tokens and rendered configuration are made anew."""


def write_backup(state: StateDir, file: Path, *, now: datetime, version: str) -> int:
    """Write the backup to `file`, readable by its owner alone, and return its size in bytes.

    The household may be up. Raises `UserError` where there is nothing to keep, or PostgreSQL refuses.
    """
    if not (state.root / "pg").is_dir():
        raise UserError(f"there is no household in {state.root}: nothing to back up")
    kept = dict(_files(state))
    about = {"format": FORMAT, "made_at": now.isoformat(timespec="seconds"), "version": version}
    try:
        # A private folder: pg_dump makes its file as readable as the machine's umask says.
        with TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as folder:
            dump, whole = Path(folder) / DUMP, Path(folder) / "whole"
            with _database(state) as dsn:
                postgres_program("pg_dump", dsn, "--format=custom", f"--file={dump}")
                # Read to its end, as a restore would.
                postgres_program("pg_restore", dsn, "--file=/dev/null", str(dump))
            _write(whole, {ABOUT: json.dumps(about).encode(), **kept}, dump)
            whole.replace(file)
        write_private(_last_file(state), json.dumps(about) + "\n")
    except OSError as error:
        raise UserError(f"{file} could not be written: {_why(file, error)}") from None
    return file.stat().st_size


def _why(file: Path, error: OSError) -> str:
    """Explain the error for the file that was asked for, not for those written beside it meanwhile."""
    if not file.parent.exists():
        return f"there is no folder {file.parent}"
    return error.strerror or str(error)


def last_backup(state: StateDir) -> datetime | None:
    """Return when the last backup was made here; None if none was."""
    known = read_json(_last_file(state))
    try:
        return datetime.fromisoformat(known["made_at"]) if isinstance(known, dict) else None
    except (KeyError, TypeError, ValueError):
        return None


def _last_file(state: StateDir) -> Path:
    return state.run_dir / "backup.json"


def postgres_program(name: str, dsn: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs on a database; the password appears in no list of processes."""
    parts = urlsplit(dsn)
    env = scrubbed_environment() | {
        "PGHOST": parts.hostname or "",
        "PGPORT": str(parts.port or ""),
        "PGUSER": unquote(parts.username or ""),
        "PGPASSWORD": unquote(parts.password or ""),
        "PGDATABASE": parts.path.lstrip("/"),
    }
    command = [str(binaries() / name), "--no-password", *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise UserError(f"{name} failed: {said[-1] if said else f'exit code {done.returncode}'}")


def about_of(archive: tarfile.TarFile, file: Path) -> Mapping[str, Any]:
    """Return a backup's description of itself; `UserError` if it is no backup, or of a newer format."""
    try:
        member = archive.extractfile(ABOUT)
        about = json.loads(member.read()) if member is not None else None
    except (KeyError, ValueError):
        about = None
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise UserError(f"{file} is no backup of a household")
    if about["format"] > FORMAT:
        raise UserError(f"{file} was made by a newer version ({about.get('version')}); restore it with that")
    if "made_at" not in about:
        raise UserError(f"{file} is no backup of a household")
    return about


def _files(state: StateDir) -> Iterator[tuple[str, bytes]]:
    """Yield what is kept, while a household that is up changes it: hidden files are half written, others may go."""
    for folder in FOLDERS:
        for path in sorted((state.root / folder).rglob("*")):
            if path.name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            # A parked message that goes was accepted before the database is dumped.
            with suppress(FileNotFoundError):
                yield str(PurePosixPath(path.relative_to(state.root))), path.read_bytes()


@contextmanager
def _database(state: StateDir) -> Iterator[str]:
    """Yield the administrator's DSN: of the running household, or of PostgreSQL alone, started for this."""
    if state.supervisor_pid() is not None:
        known = read_json(state.endpoints_file)
        if not isinstance(known, dict):
            raise UserError("the household is just starting; try again when `butlers status` shows it ready")
        yield known["database"]["dsn"]
        return
    server = EmbeddedPostgres(state.root)
    server.start()
    try:
        yield server.admin_dsn
    finally:
        server.stop()


def _write(path: Path, files: Mapping[str, bytes], dump: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as raw:
        with tarfile.open(fileobj=raw, mode="w") as archive:
            for name, data in files.items():
                member = tarfile.TarInfo(name)
                member.size, member.mode = len(data), 0o600
                archive.addfile(member, io.BytesIO(data))
            archive.add(dump, DUMP, filter=_nobody)
        raw.flush()
        os.fsync(raw.fileno())


def _nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove the file's owner on this machine, which is not part of a backup."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
