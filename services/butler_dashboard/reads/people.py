"""The household's contacts, so that pages name people rather than addresses (D49)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_dashboard.reads.model import Row
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["People", "household_people"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/people.sql")


@dataclass(frozen=True, slots=True)
class People:
    """Contacts by id, and contact ids by address: a channel and a case-folded identity on it."""

    names: dict[UUID, str]
    addresses: dict[tuple[str, str], UUID]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> People:
        """Build from the rows of the view, one for each address."""
        names: dict[UUID, str] = {}
        addresses: dict[tuple[str, str], UUID] = {}
        for row in rows:
            names[row["contact_id"]] = row["name"]
            if row["value"] is not None:
                addresses[row["channel"], row["value"].casefold()] = row["contact_id"]
        return cls(names, addresses)

    def name(self, channel: str, value: str, contact_id: UUID | None = None) -> str | None:
        """Return the person's name; None for somebody the household does not know."""
        known = contact_id if contact_id in self.names else self.addresses.get((channel, value.casefold()))
        return self.names.get(known) if known is not None else None

    def called(self, teller: str) -> str:
        """Return the name of a person that a record identifies by a contact's id or `channel:address`."""
        channel, _, value = teller.partition(":")
        if value:
            return self.name(channel, value) or value
        return next((name for own, name in self.names.items() if str(own) == teller), "somebody who left")

    def addresses_of(self, *contact_ids: UUID) -> tuple[list[str], list[str]]:
        """Return the channels and the identities of these contacts, side by side."""
        found = [address for address, whose in self.addresses.items() if whose in contact_ids]
        return [channel for channel, _ in found], [value for _, value in found]

    def addresses_called(self, words: str) -> tuple[list[str], list[str]]:
        """Return the same for everybody whose name contains the words, in any case."""
        wanted = words.strip().casefold()
        return self.addresses_of(*(own for own, name in self.names.items() if wanted in name.casefold()))


async def household_people(reader: Reader) -> People:
    """Return the current contacts."""
    async with reader.connection("reading the contacts") as connection:
        return People.of(await connection.fetch(_SQL["people"]))
