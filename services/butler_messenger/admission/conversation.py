"""Ends mail loops between two automatic responders (D23, RFC 3834).

A responder that follows RFC 3834 never answers us, and mail that declares itself automatic is never answered.
For the rest, the number of our replies in one conversation is bounded.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_kit.db import NamedQueries, Pool, acquire

__all__ = ["ANSWERS_AN_HOUR", "MailConversations", "check_answered"]

_COUNT: Final = NamedQueries("butler_messenger.sql", "conversation.sql")["count_answered"]

ANSWERS_AN_HOUR: Final = 30
"""More than a person writes in one conversation; a machine that answers every reply reaches it in minutes."""


class MailConversations:
    """Counts our own replies by mail."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def check(self, notify: NotifyRequestV1, thread: str) -> None:
        """Raise `ValidationFailed` for one reply too many; a request that was already answered passes."""
        request = notify.request_context.request_id if notify.request_context is not None else None
        await self.check_reply(notify.delivery.channel, notify.delivery.intent, thread, request)

    async def check_reply(self, channel: str, intent: str, thread: str | None, request: UUID | None) -> None:
        """Do the same for any message into `thread` that answers `request`; only replies by mail count."""
        if (channel, intent) != ("email", "reply"):
            return
        async with acquire(self._pool, doing="counting the answers of a conversation") as connection:
            check_answered(await connection.fetchval(_COUNT, thread, request))


def check_answered(count: int) -> None:
    """Refuse if `count` replies to one mail conversation within the hour are too many. Pure."""
    if count >= ANSWERS_AN_HOUR:
        raise ValidationFailed(
            f"{count} answers went into this mail conversation within the hour: a machine may be answering them"
        )
