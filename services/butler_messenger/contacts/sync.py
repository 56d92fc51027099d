"""Writes the contacts file to schema `shared`, in one transaction, idempotently (D49)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from butler_kit.db import NamedQueries, Pool, transaction
from butler_messenger.contacts.file import ContactsFileError, Person, read_contacts, with_known_ids

__all__ = ["SyncResult", "read_text", "sync_contacts"]

_QUERIES = NamedQueries("butler_messenger.sql", "contacts.sql")
_LOCK: Final = _QUERIES["lock_contacts"]
_NAMES: Final = _QUERIES["contact_names"]
_KNOWN: Final = _QUERIES["known_identifiers"]
_REMOVE: Final = _QUERIES["remove_contacts"]
_DEMOTE: Final = _QUERIES["demote_owner"]
_UPSERT: Final = _QUERIES["upsert_contact"]
_REMOVE_IDENTIFIERS: Final = _QUERIES["remove_identifiers"]
_UPSERT_IDENTIFIER: Final = _QUERIES["upsert_identifier"]


@dataclass(frozen=True, slots=True)
class SyncResult:
    """How many people and identifiers the household now has."""

    contacts: int
    identifiers: int


async def sync_contacts(pool: Pool, path: Path) -> SyncResult:
    """Read the file at `path` into `shared`; people missing from it are removed, renamed ones stay the same contact.

    Raises `ContactsFileError` for a file that cannot be used, leaving everything as it was.
    """
    people = read_contacts(read_text(path))
    async with transaction(pool, doing="writing contacts") as connection:
        await connection.execute(_LOCK)
        names = {row["name"]: row["contact_id"] for row in await connection.fetch(_NAMES)}
        known = {(row["type"], row["value"]): row["contact_id"] for row in await connection.fetch(_KNOWN)}
        people = with_known_ids(people, names, known)
        await connection.execute(_REMOVE, [person.contact_id for person in people])
        owner = next(person for person in people if person.role == "owner")
        await connection.execute(_DEMOTE, owner.contact_id)
        await connection.executemany(
            _UPSERT, [(p.contact_id, p.name, p.role, p.settings.to_wire()) for p in people]
        )
        rows = [(p.contact_id, kind, value, primary) for p, kind, value, primary in _identifiers(people)]
        await connection.execute(
            _REMOVE_IDENTIFIERS, [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
        )
        await connection.executemany(_UPSERT_IDENTIFIER, rows)
    return SyncResult(len(people), len(rows))


def _identifiers(people: tuple[Person, ...]) -> list[tuple[Person, str, str, bool]]:
    return [(p, kind, value, primary) for p in people for kind, value, primary in p.identifiers]


def read_text(path: Path) -> str:
    """The file's text. Raises `ContactsFileError`."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ContactsFileError(f"contacts file {path.name}: is not UTF-8 text") from None
    except OSError as error:
        raise ContactsFileError(
            f"contacts file {path.name}: cannot be read ({error.strerror}); check BUTLERS_CONTACTS_FILE"
        ) from None
