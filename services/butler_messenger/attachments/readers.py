"""The language of Messenger's own words in a message, by recipient."""

from __future__ import annotations

from butler_contracts.language import Language
from butler_kit.db import Pool, acquire
from butler_messenger.contacts.languages import language_of

__all__ = ["Readers"]


class Readers:
    """Recipients by their contact; without a contact or a language of their own, the household's applies."""

    def __init__(self, pool: Pool, household: Language) -> None:
        self._pool = pool
        self._household = household

    async def language_of(self, channel: str, identity: str | None) -> Language:
        """Return the language of the person with this identity."""
        async with acquire(self._pool, doing="looking for a reader's language") as connection:
            return await language_of(connection, channel, identity, self._household)
