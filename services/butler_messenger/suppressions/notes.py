"""Tells the owner once about each suppression that keeps a message from somebody (docs/adr/0083).

Invariant: the note and the mark that it was queued are one transaction, limited like everything that Messenger says
of its own accord (docs/adr/0021). It goes to an address that is not suppressed itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_kit.db import Connection, NamedQueries, Pool, transaction
from butler_messenger.admission.limits import source_of
from butler_messenger.admission.notices import own_notice
from butler_messenger.admission.store import AdmissionStore, NewDelivery, lane_for
from butler_messenger.contacts.languages import language_of
from butler_messenger.delivery.records import Row
from butler_messenger.owner.window import OwnerWindow
from butler_messenger.owner.words import SUPPRESSIONS
from butler_messenger.suppressions.words import note_key, note_text, subject_of

__all__ = ["SuppressionNotes"]

_SQL: Final = NamedQueries("butler_messenger.sql", "suppressions.sql")
_BATCH: Final = 50


class SuppressionNotes:
    """Safe beside other replicas."""

    def __init__(
        self,
        pool: Pool,
        store: AdmissionStore,
        window: OwnerWindow,
        *,
        own_name: str,
        language: Language,
        way_to_owner: Callable[[], Awaitable[tuple[str, str] | None]],
        expires_after_s: float,
        offer: Callable[[UUID, str, str], object],
        new_id: Callable[[], UUID],
    ) -> None:
        self._pool = pool
        self._store = store
        self._window = window
        self._own_name = own_name
        self._language = language
        self._way_to_owner = way_to_owner
        self._expires_after_s = expires_after_s
        self._offer = offer
        self._new_id = new_id

    async def sweep(self) -> None:
        """Queue the notes that are due."""
        way = await self._way_to_owner()
        if way is None:
            return
        async with transaction(self._pool, doing="telling of suppressions") as connection:
            rows = await connection.fetch(_SQL["untold"], _BATCH)
            language = await language_of(connection, *way, self._language) if rows else self._language
            queued = [await self._note(connection, row, way, language) for row in rows]
        for one in queued:
            if not one.collected:
                self._offer(one.delivery_id, lane_for(one.intent), source_of(one.origin_butler, one.channel))

    async def _note(
        self, connection: Connection, row: Row, way: tuple[str, str], language: Language
    ) -> NewDelivery:
        note = own_notice(
            delivery_id=self._new_id(),
            key=note_key(row["suppression_id"]),
            own_name=self._own_name,
            way=way,
            subject=subject_of(language),
            message=note_text(language, row),
            expires_after_s=self._expires_after_s,
            topic=SUPPRESSIONS,
        )
        counted = await self._window.counted(connection, note)
        await self._store.insert(connection, counted)
        await connection.execute(_SQL["told"], row["suppression_id"])
        return counted
