"""The record of messages to people, one row per intent (SWB-17.1, SWB-11.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from butler_contracts.errors import ErrorDetail
from butler_contracts.notify import NotifyDeliveryOutcome, NotifyRequestV1, NotifyResponseV1
from butler_contracts.route import RouteResponseV1
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.markup import said
from butler_switchboard.dispatch.buttons import own_button
from butler_switchboard.operations.activity import delivery_ended
from butler_switchboard.operations.audit import Audit

__all__ = ["Notification", "Notifications", "Told"]

_SQL = NamedQueries("butler_switchboard", "sql/dispatch.sql")
_NAMESPACE: Final = UUID("5b7f3f0e-6c1c-5f0a-9a44-0a1d6f0f7a11")
EXCERPT_CHARS: Final = 200
"""Enough to recognise a message in a list; Messenger has the whole text."""


@dataclass(frozen=True)
class Notification:
    """One intent; the id is the subrequest id of its `route.v1`, so Messenger's answers find it."""

    notification_id: UUID
    request_id: UUID | None
    purpose: str
    request: NotifyRequestV1


@dataclass(frozen=True, slots=True)
class Told:
    """Whose intent a notification was, and the request that it was about."""

    origin: str
    request_id: UUID | None


def notification_id(request: NotifyRequestV1, *, purpose: str) -> UUID:
    """Return the intent's id, always the same for the same intent and origin, to recognise a repeat."""
    delivery = request.delivery
    context = request.request_context
    parts = (
        request.origin_butler,
        purpose,
        str(context.request_id) if context else "",
        delivery.intent,
        delivery.channel,
        delivery.recipient or "",
        delivery.contact_id or "",
        delivery.idempotency_key or "",
        delivery.subject or "",
        delivery.emoji or delivery.message or "",
        *(part for one in delivery.attachments for part in (one.digest, one.name)),
    )
    return uuid5(_NAMESPACE, "\x1f".join(f"{len(part)}:{part}" for part in parts))


class Notifications:
    """Opens rows before Messenger is called and updates them as it answers."""

    def __init__(self, pool: Pool, audit: Audit) -> None:
        self._pool = pool
        self._audit = audit

    async def open(self, notification: Notification) -> None:
        """Record the intent; a repeat changes nothing. Switchboard's own buttons are not answered in words."""
        delivery = notification.request.delivery
        async with acquire(self._pool, doing="recording a notification") as connection:
            await connection.execute(
                _SQL["open_notification"],
                notification.notification_id,
                notification.request_id,
                notification.request.origin_butler,
                notification.purpose,
                delivery.intent,
                delivery.channel,
                delivery.recipient or delivery.contact_id,
                _excerpt(said(delivery.message or delivery.emoji or "", delivery.format)),
                [action.id for action in delivery.actions if own_button(action.id) is None] or None,
            )

    async def answered(self, identifier: UUID, response: NotifyResponseV1) -> None:
        """Record what Messenger has said about the delivery so far."""
        delivery = response.delivery
        await self._update(
            identifier,
            status=response.status,
            delivery=delivery,
            error=response.error,
        )
        context = response.request_context
        self._audited(delivery, context.request_id if context else None, response.error)

    async def failed(self, identifier: UUID, error: ErrorDetail) -> None:
        """Record that an intent did not reach Messenger, or was refused."""
        async with acquire(self._pool, doing="recording a failed notification") as connection:
            await connection.execute(
                _SQL["fail_notification"], identifier, error.error_class.value, error.message
            )

    async def ended(self, response: RouteResponseV1) -> bool:
        """Record the end of a delivery; return False if no notification has this id."""
        wrapped = response.notify_response()
        error = response.error or (wrapped.error if wrapped else None)
        delivery = wrapped.delivery if wrapped else None
        known = await self._update(
            response.subrequest_id,
            status="error" if error else "ok",
            delivery=delivery,
            error=error,
        )
        if known:
            self._audited(delivery, response.request_context.request_id, error)
        return known

    def _audited(
        self, delivery: NotifyDeliveryOutcome | None, request_id: UUID | None, error: ErrorDetail | None
    ) -> None:
        entry = delivery_ended(delivery, request_id=request_id, error=error)
        if entry is not None:
            self._audit.record(entry)

    async def told(self, identifier: UUID) -> Told | None:
        """Return whose intent it was, and about what; None if there is none, or no record of it any more."""
        async with acquire(self._pool, doing="reading a notification") as connection:
            row = await connection.fetchrow(_SQL["origin_of_notification"], identifier)
        return Told(row["origin_butler"], row["request_id"]) if row is not None else None

    async def unanswered(self, request_id: UUID) -> bool:
        """Return whether Messenger has yet to answer an intent of a butler."""
        async with acquire(self._pool, doing="looking for a notification") as connection:
            found: bool = await connection.fetchval(_SQL["unanswered_notification"], request_id)
        return found

    async def _update(
        self,
        identifier: UUID,
        *,
        status: str,
        delivery: NotifyDeliveryOutcome | None,
        error: ErrorDetail | None,
    ) -> bool:
        async with acquire(self._pool, doing="updating a notification") as connection:
            known = await connection.fetchval(
                _SQL["update_notification"],
                identifier,
                status,
                delivery.delivery_id if delivery else None,
                delivery.state if delivery else None,
                error.error_class.value if error else None,
                error.message if error else None,
                delivery.message_identity if delivery else None,
                delivery.thread_identity if delivery else None,
            )
        return known is not None


def _excerpt(text: str) -> str:
    """Return the beginning of the text, with a mark if it is cut."""
    return text if len(text) <= EXCERPT_CHARS else f"{text[: EXCERPT_CHARS - 1]}…"
