"""The language of Messenger's own words in a message, by recipient."""

from __future__ import annotations

from typing import Final

from butler_contracts.language import Language
from butler_kit.db import NamedQueries, Pool, acquire
from butler_messenger.locale import known_language

__all__ = ["Readers"]

_LANGUAGE: Final = NamedQueries("butler_messenger.sql", "contacts.sql")["language_of"]


class Readers:
    """Recipients by their contact; without a contact or a language of their own, the household's applies."""

    def __init__(self, pool: Pool, household: Language) -> None:
        self._pool = pool
        self._household = household

    async def language_of(self, channel: str, identity: str | None) -> Language:
        """Return the language of the person with this identity."""
        async with acquire(self._pool, doing="looking for a reader's language") as connection:
            said: str | None = await connection.fetchval(_LANGUAGE, channel, identity)
        return known_language(said, self._household)
