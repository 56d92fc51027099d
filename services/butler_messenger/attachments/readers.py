"""In which language whoever gets a message reads what Messenger itself says in it."""

from __future__ import annotations

from typing import Final

from butler_contracts.language import Language
from butler_kit.db import NamedQueries, Pool, acquire
from butler_messenger.locale import known_language

__all__ = ["Readers"]

_LANGUAGE: Final = NamedQueries("butler_messenger.sql", "contacts.sql")["language_of"]


class Readers:
    """Members by their contact; who has no language of their own, or is nobody's contact, has the household's."""

    def __init__(self, pool: Pool, household: Language) -> None:
        self._pool = pool
        self._household = household

    async def language_of(self, channel: str, identity: str | None) -> Language:
        """The language of who is reached there."""
        async with acquire(self._pool, doing="looking for a reader's language") as connection:
            said: str | None = await connection.fetchval(_LANGUAGE, channel, identity)
        return known_language(said, self._household)
