"""The language in which Messenger itself speaks to a person."""

from __future__ import annotations

from typing import Final

from butler_contracts.language import Language
from butler_kit.db import Connection, NamedQueries
from butler_messenger.locale import known_language

__all__ = ["language_of"]

_SQL: Final = NamedQueries("butler_messenger.sql", "contacts.sql")


async def language_of(
    connection: Connection, channel: str, identity: str | None, household: Language
) -> Language:
    """Return the language that the contact with this identity has set; without one, the household's."""
    said: str | None = await connection.fetchval(_SQL["language_of"], channel, identity)
    return known_language(said, household)
