"""The files of a schema: numbered migrations, and the current definitions of functions and views (ADR 0029).

A file of definitions opens with `-- revision: N`, which decides which of two texts is newer: an older replica beside
a newer one leaves the newer text alone, and a text that changed without a new revision is refused.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from butler_contracts.errors import InternalFailure

__all__ = [
    "KIT_MIGRATIONS",
    "Definition",
    "Migration",
    "MigrationError",
    "MigrationSource",
    "load_definitions",
    "load_migrations",
]

_FILE: Final = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")
_DEFINITION: Final = re.compile(r"([a-z][a-z0-9_]*)\.sql")
_REVISION: Final = re.compile(r"-- revision: ([1-9][0-9]{0,5})\n")


class MigrationError(InternalFailure):
    """The files and the database disagree, or a migration could not be applied."""


@dataclass(frozen=True, slots=True)
class MigrationSource:
    """Location of one component's migrations: `directory` inside `package`, ledgered under `name`.

    Its functions and views are beside them, in a folder whose name ends in `definitions` instead.
    """

    name: str
    package: str
    directory: str = "migrations"


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file; `checksum` is the SHA-256 of its text with LF line ends."""

    source: str
    number: int
    title: str
    sql: str
    checksum: str

    @property
    def label(self) -> str:
        return f"{self.source} {self.number:04d}_{self.title}"


@dataclass(frozen=True, slots=True)
class Definition:
    """One file of functions and views; `checksum` as for a migration."""

    source: str
    title: str
    revision: int
    sql: str
    checksum: str

    @property
    def label(self) -> str:
        return f"{self.source} {self.title} revision {self.revision}"


KIT_MIGRATIONS = MigrationSource("kit", "butler_kit.db")


def load_migrations(source: MigrationSource) -> tuple[Migration, ...]:
    """Return the files of `source` in order; `MigrationError` on a gap, a double number or a stray name."""
    folder = resources.files(source.package).joinpath(source.directory)
    migrations = []
    for expected, name in enumerate(_names(folder), start=1):
        match = _FILE.fullmatch(name)
        if match is None:
            raise MigrationError(f"{source.name}: {name} is not named NNNN_title.sql")
        if int(match.group(1)) != expected:
            raise MigrationError(f"{source.name}: expected migration {expected:04d}, found {name}")
        sql = _text(folder, name)
        migrations.append(Migration(source.name, expected, match.group(2), sql, _checksum(sql)))
    return tuple(migrations)


def load_definitions(source: MigrationSource) -> tuple[Definition, ...]:
    """Return the definitions of `source` by name, none without a folder; `MigrationError` on a stray file."""
    directory = f"{source.directory.removesuffix('migrations')}definitions"
    folder = resources.files(source.package).joinpath(directory)
    definitions = []
    for name in _names(folder) if folder.is_dir() else ():
        sql = _text(folder, name)
        named, opened = _DEFINITION.fullmatch(name), _REVISION.match(sql)
        if named is None or opened is None:
            raise MigrationError(
                f"{source.name}: {name} is not named title.sql or does not open with '-- revision: N'"
            )
        revision = int(opened.group(1))
        definitions.append(Definition(source.name, named.group(1), revision, sql, _checksum(sql)))
    return tuple(definitions)


def _names(folder: Traversable) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))


def _text(folder: Traversable, name: str) -> str:
    return folder.joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _checksum(sql: str) -> str:
    return hashlib.sha256(sql.encode()).hexdigest()
