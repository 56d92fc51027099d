"""Functions and views that a schema still lacks, by its ledger `schema_definitions` (ADR 0029)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from butler_kit.db.migration_files import Definition, MigrationError

__all__ = ["pending_definitions"]

_log = logging.getLogger(__name__)


def pending_definitions(
    files: Sequence[Definition],
    defined: Mapping[tuple[str, str], Any],
    schema: str,
    *,
    allow_newer: bool,
) -> list[Definition]:
    """Return the files to apply. With `allow_newer`, newer texts in the database are kept and named in the log.

    Raises `MigrationError` for a text that changed without a new revision, and for a newer one that is not allowed.
    """
    pending, newer = [], []
    for file in files:
        row = defined.get((file.source, file.title))
        if row is None or row["revision"] < file.revision:
            pending.append(file)
        elif row["revision"] > file.revision:
            newer.append(file.label)
        elif row["checksum"] != file.checksum:
            raise MigrationError(
                f"schema {schema}: {file.label} was changed after it had been applied; raise its revision"
            )
    _tell_newer(newer, schema, allow_newer=allow_newer)
    return pending


def _tell_newer(labels: Sequence[str], schema: str, *, allow_newer: bool) -> None:
    if not labels:
        return
    names = ", ".join(labels)
    if not allow_newer:
        raise MigrationError(
            f"schema {schema}: the database has a newer text than {names}; "
            "it was made by a newer version: start that version or restore a backup"
        )
    _log.warning("schema %s has a newer text, which is left as it is, than %s", schema, names)
