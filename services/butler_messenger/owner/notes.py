"""Tells the owner of uncertain deliveries, once each, and sends collected messages as one (D64, docs/adr/0021).

Invariants: a note and the mark that it was queued are one transaction, and so are a digest and the marks of its
messages; the messages in a digest end as the digest ends. A note about a note is never written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_contracts.stored import Unreadable
from butler_kit.db import Connection, NamedQueries, Pool, transaction
from butler_kit.markup import said
from butler_kit.telemetry import get_logger
from butler_messenger.admission.limits import source_of
from butler_messenger.admission.notices import own_notice
from butler_messenger.admission.store import AdmissionStore, NewDelivery, lane_for
from butler_messenger.contacts.languages import language_of
from butler_messenger.delivery.records import Delivery, Row
from butler_messenger.owner.window import OwnerWindow
from butler_messenger.owner.words import (
    NAMED,
    UNCERTAIN,
    Collected,
    digest_subject,
    digest_text,
    remedies,
    uncertain_key,
    uncertain_subject,
    uncertain_text,
)

__all__ = ["OwnerNotes"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_messenger.sql", "owner.sql")
_BATCH: Final = 50
_SETTLED_AT_ONCE: Final = 500


class OwnerNotes:
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
        on_terminal: Callable[[Delivery], None],
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
        self._on_terminal = on_terminal
        self._new_id = new_id

    async def sweep(self) -> None:
        """Do what is due: notes, digests, and the ends of the messages in digests."""
        await self._tell_uncertain()
        while await self._send_digest():
            pass
        await self._settle()

    async def _tell_uncertain(self) -> None:
        way = await self._way_to_owner()
        if way is None:
            return
        async with transaction(self._pool, doing="telling of uncertain deliveries") as connection:
            rows = await connection.fetch(_SQL["untold_uncertain"], _BATCH)
            language = await language_of(connection, *way, self._language) if rows else self._language
            queued = [await self._note(connection, row, way, language) for row in rows]
        self._hand_over(queued)

    async def _note(
        self, connection: Connection, row: Row, way: tuple[str, str], language: Language
    ) -> NewDelivery:
        note_id = self._new_id()
        note = own_notice(
            delivery_id=note_id,
            key=uncertain_key(row["delivery_id"]),
            own_name=self._own_name,
            way=way,
            subject=uncertain_subject(language),
            message=uncertain_text(
                language,
                origin=row["origin_butler"],
                channel=row["channel"],
                person=row["person"],
                delivery_id=row["delivery_id"],
                problem=row["error_message"],
            ),
            expires_after_s=self._expires_after_s,
            topic=UNCERTAIN,
            actions=remedies(language, note_id),
        )
        counted = await self._window.counted(connection, note)
        await self._store.insert(connection, counted)
        await connection.execute(_SQL["owner_told"], row["delivery_id"])
        return counted

    async def _send_digest(self) -> bool:
        """Queue the digest of one window; False if none is due."""
        async with transaction(self._pool, doing="collecting a digest") as connection:
            closed = await connection.fetchrow(_SQL["close_window"], self._window.bounds.window_s)
            if closed is None:
                return False
            digest_id = self._new_id()
            place = (closed["channel"], closed["target_identity"])
            rows = await connection.fetch(_SQL["take_collected"], *place, closed["topic"], digest_id, NAMED)
            language = await language_of(connection, *place, self._language)
            digest = self._digest(digest_id, closed, rows, language) if rows else None
            if digest is not None:
                await self._store.insert(connection, digest)
        if digest is not None:
            self._hand_over([digest])
            _log.info("digest_queued", topic=closed["topic"], delivery_id=str(digest_id))
        return True

    def _digest(self, digest_id: UUID, closed: Row, rows: Sequence[Row], language: Language) -> NewDelivery:
        by_origin: dict[str, int] = rows[0]["by_origin"]
        topic: str = closed["topic"]
        named = [
            Collected(
                row["origin_butler"],
                row["request_id"],
                row["idempotency_key"],
                row["created_at"],
                said(row["message"] or "", row["format"]),
            )
            for row in rows
        ]
        return own_notice(
            delivery_id=digest_id,
            key=f"digest:{digest_id}",
            own_name=self._own_name,
            way=(closed["channel"], closed["target_identity"]),
            subject=digest_subject(topic, sum(by_origin.values()), language),
            message=digest_text(
                topic, named, by_origin=by_origin, since=closed["opened_at"], language=language
            ),
            expires_after_s=self._expires_after_s,
            topic=topic,
        )

    async def _settle(self) -> None:
        """End the messages in a digest as the digest ended."""
        while True:
            async with transaction(self._pool, doing="ending what a digest told") as connection:
                rows = await connection.fetch(_SQL["settle_collected"], _SETTLED_AT_ONCE)
            for row in rows:
                self._tell(row)
            if len(rows) < _SETTLED_AT_ONCE:
                return

    def _tell(self, row: Row) -> None:
        try:
            self._on_terminal(Delivery.from_row(row))
        except Unreadable as error:  # it has ended all the same, and blocks no other
            _log.warning("delivery_unreadable", delivery_id=str(row["delivery_id"]), problem=error.message)

    def _hand_over(self, queued: list[NewDelivery]) -> None:
        for one in queued:
            if not one.collected:
                self._offer(one.delivery_id, lane_for(one.intent), source_of(one.origin_butler, one.channel))
