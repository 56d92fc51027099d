"""Lookups before a replay begins; no lock or connection is held while a provider is asked (D41)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_contracts.errors import ButlerError
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.stored import stored
from butler_kit.db import NamedQueries, Pool, acquire
from butler_messenger.admission.resolve import Target
from butler_messenger.admission.store import AdmissionStore
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.outgoing import outgoing_of
from butler_messenger.delivery.records import Row
from butler_messenger.delivery.states import Status

__all__ = ["Lookout", "Seen"]

_SQL: Final = NamedQueries("butler_messenger.sql", "dead_letters.sql")


@dataclass(frozen=True, slots=True)
class Seen:
    """The current target, or why there is none; what the provider's records say, None if not asked."""

    target: Target | ButlerError
    records: Evidence | None

    def destination(self) -> Target:
        """Return the target; raise the error if there is none."""
        if isinstance(self.target, ButlerError):
            raise self.target
        return self.target


class Lookout:
    """Looks before anything is locked; None if it is unknown or can no longer be replayed."""

    def __init__(
        self,
        pool: Pool,
        store: AdmissionStore,
        channels: Mapping[str, Channel],
        resolve: Callable[[NotifyRequestV1], Awaitable[Target]],
    ) -> None:
        self._pool = pool
        self._store = store
        self._channels = channels
        self._resolve = resolve

    async def dead_letter(self, dead_letter_id: UUID) -> Seen | None:
        return await self._look("wish_of_letter", dead_letter_id)

    async def delivery(self, delivery_id: UUID) -> Seen | None:
        return await self._look("wish_of_delivery", delivery_id)

    async def _look(self, query: str, wanted: UUID) -> Seen | None:
        async with acquire(self._pool, doing="looking at what is to be replayed") as connection:
            row = await connection.fetchrow(_SQL[query], wanted)
        if row is None or not row["open"]:
            return None
        uncertain = row["status"] == Status.UNCERTAIN
        records = await self._records(row["delivery_id"]) if uncertain else None
        return Seen(await self._target(row), records)

    async def _target(self, row: Row) -> Target | ButlerError:
        try:
            return await self._resolve(stored(NotifyRequestV1, row["notify_request"]))
        except ButlerError as error:
            return error

    async def _records(self, delivery_id: UUID) -> Evidence:
        """Return the evidence; `none` if the channel keeps no records, or the delivery is no longer kept."""
        delivery = await self._store.get(delivery_id)
        channel = self._channels.get(delivery.channel) if delivery is not None else None
        if delivery is None or channel is None or not channel.keeps_records:
            return "none"
        return await channel.evidence(outgoing_of(delivery))
