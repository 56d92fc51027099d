"""The household as Switchboard knows it: a cached read of `shared.contacts`, which Messenger owns (D22, D49).

Invariant: nobody is classified against an unknown household. Until an owner can be read, admission is refused with a
retryable error; after that the last good book is used through an outage.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import asyncpg

from butler_contracts.context import RequestContext
from butler_contracts.errors import ButlerError, TargetUnavailable
from butler_contracts.people import ADDRESSES_MAX, AddressV1, PeopleV1, PersonV1
from butler_contracts.person_settings import LimitsV1, PersonSettings
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_switchboard.ingress.senders import ContactBook

__all__ = ["Contacts"]

_log = get_logger(__name__)

_SQL = NamedQueries("butler_switchboard", "sql/ingress.sql")
_NOT_MADE_YET = (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError)
REFRESH_S = 5.0
"""A contact that was added is known after this many seconds."""


class Contacts:
    """`book()` returns the household, read again if it is older than `REFRESH_S`."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock
        self._book: ContactBook | None = None
        self._read_at = 0.0
        self._reading = asyncio.Lock()

    async def book(self) -> ContactBook:
        """Return the household. Raises `TargetUnavailable` (retryable) while no owner is known."""
        if self._is_due():
            async with self._reading:
                await self._refresh()
        if self._book is None or not self._book.has_owner:
            raise TargetUnavailable(
                "the household's contacts are not loaded yet; is Messenger running?", retryable=True
            )
        return self._book

    async def people_of(self, context: RequestContext) -> PeopleV1 | None:
        """Return the people that a message's butler is told about; None also while they cannot be read."""
        try:
            return (await self.book()).people_of(context)
        except ButlerError:
            return None

    async def person_of(self, context: RequestContext) -> UUID | None:
        """Return the contact who wrote a message; None also while the household cannot be read."""
        try:
            return (await self.book()).person_of(context)
        except ButlerError:
            return None

    async def names(self) -> dict[UUID, str]:
        """Return the contacts' names; empty while the household cannot be read."""
        try:
            return {person.contact_id: person.name for person in (await self.book()).people}
        except ButlerError:
            return {}

    async def settings(self) -> dict[str, Any] | None:
        """Return people's own settings for the butlers, by contact; None while the household is unknown."""
        try:
            known = (await self.book()).settings
        except ButlerError:
            return None
        return {str(contact_id): settings.to_wire() for contact_id, settings in known.items()}

    async def check(self) -> None:
        """Check readiness: raises as `book` does."""
        await self.book()

    def _is_due(self) -> bool:
        """Return whether to read now; while one caller reads, maybe for long, others use the known book."""
        if self._book is None:
            return True
        return self._clock.monotonic() - self._read_at > REFRESH_S and not self._reading.locked()

    async def _refresh(self) -> None:
        if self._book is not None and self._clock.monotonic() - self._read_at <= REFRESH_S:
            return
        try:
            self._book = await self._read()
        except (ButlerError, *_NOT_MADE_YET) as error:
            if self._book is None:
                raise TargetUnavailable(f"the household's contacts cannot be read yet: {error}") from error
        self._read_at = self._clock.monotonic()

    async def _read(self) -> ContactBook:
        async with acquire(self._pool, doing="reading the contacts") as connection:
            records = await connection.fetch(_SQL["contacts"])
        return ContactBook(
            members=frozenset(
                (record["type"], record["value"].strip().lower()) for record in records if record["type"]
            ),
            has_owner=any(record["role"] == "owner" and record["type"] for record in records),
            people=_people(records),
            settings=_settings(records),
            owner=next((record["name"] for record in records if record["role"] == "owner"), ""),
            owner_id=next((record["contact_id"] for record in records if record["role"] == "owner"), None),
        )


def _people(records: Iterable[asyncpg.Record]) -> tuple[PersonV1, ...]:
    """Return each contact once, with their addresses, as many as the contract allows."""
    found: dict[UUID, PersonV1] = {}
    for record in records:
        person = found.setdefault(
            record["contact_id"], PersonV1(contact_id=record["contact_id"], name=record["name"])
        )
        if record["type"] and len(person.addresses) < ADDRESSES_MAX:
            address = AddressV1(channel=record["type"], value=record["value"].strip().lower())
            found[person.contact_id] = person.model_copy(update={"addresses": (*person.addresses, address)})
    return tuple(found.values())


def _settings(records: Iterable[asyncpg.Record]) -> dict[UUID, PersonSettings]:
    """Return the settings that people have, without unreadable ones; a limited person stays limited."""
    found: dict[UUID, PersonSettings] = {}
    for contact_id, written in {record["contact_id"]: record["settings"] for record in records}.items():
        try:
            settings = stored(PersonSettings, written or {})
        except Unreadable as problem:
            _log.warning("settings_unreadable", contact_id=str(contact_id), problem=problem.message)
            settings = _of_unreadable(written)
        if settings.to_wire():
            found[contact_id] = settings
    return found


def _of_unreadable(written: Any) -> PersonSettings:
    """Keep only that somebody is limited, who may ask nobody then: a limit is not lost by accident."""
    said = written if isinstance(written, dict) else {}
    standing, limits = said.get("standing"), LimitsV1(butlers=())
    if standing is None:
        return PersonSettings(limits=limits) if said.get("limits") is not None else PersonSettings()
    return PersonSettings(standing="child" if standing == "child" else "guest", limits=limits)
