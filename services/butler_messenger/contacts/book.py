"""Contact lookups for deliveries: the owner, a name, an identifier for a channel (MSG-6.2)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from butler_kit.db import NamedQueries, Pool, acquire
from butler_messenger.admission.resolve import Contact

__all__ = ["SharedContacts"]

_QUERIES = NamedQueries("butler_messenger.sql", "contacts.sql")
_IDENTIFIER: Final = _QUERIES["identifier"]
_NAME: Final = _QUERIES["contact_name"]
_OWNER: Final = _QUERIES["owner"]
_IS_HOUSEHOLD: Final = _QUERIES["is_household"]
_IDENTIFIERS: Final = _QUERIES["identifiers_of"]


class SharedContacts:
    """Reads schema `shared`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def owner(self) -> Contact | None:
        async with acquire(self._pool, doing="looking for the owner") as connection:
            row = await connection.fetchrow(_OWNER)
        return Contact(row["contact_id"], row["name"]) if row else None

    async def name_of(self, contact_id: UUID) -> str | None:
        async with acquire(self._pool, doing="looking for a contact") as connection:
            name: str | None = await connection.fetchval(_NAME, contact_id)
        return name

    async def identifier(self, contact_id: UUID, channel: str) -> str | None:
        async with acquire(self._pool, doing="looking for an identifier") as connection:
            value: str | None = await connection.fetchval(_IDENTIFIER, contact_id, channel)
        return value

    async def is_household(self, channel: str, identity: str) -> bool:
        """Whether an owner or a member has this identifier."""
        async with acquire(self._pool, doing="looking for an identifier's person") as connection:
            return bool(await connection.fetchval(_IS_HOUSEHOLD, channel, identity))

    async def owner_channel(self, channels: tuple[str, ...]) -> tuple[str, str] | None:
        """Return the owner's `(channel, value)`: primary first, then in the order of `channels` (D49)."""
        owner = await self.owner()
        return await self.way_to(owner.contact_id, channels) if owner is not None else None

    async def way_to(self, contact_id: UUID, channels: tuple[str, ...]) -> tuple[str, str] | None:
        """Return the same for any contact."""
        async with acquire(self._pool, doing="looking for a way to reach a contact") as connection:
            rows = await connection.fetch(_IDENTIFIERS, contact_id)
        usable = [row for row in rows if row["type"] in channels]
        usable.sort(key=lambda row: (not row["is_primary"], channels.index(row["type"])))
        return (usable[0]["type"], usable[0]["value"]) if usable else None
