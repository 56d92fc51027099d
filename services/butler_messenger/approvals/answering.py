"""Answers each button press or mail once, where it came from (docs/adr/0072, 0076)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_contracts.errors import ValidationFailed
from butler_contracts.ingest import SourceChannel
from butler_kit.db import Pool, transaction
from butler_kit.telemetry import get_logger
from butler_messenger.admission.conversation import MailConversations
from butler_messenger.admission.identity import chat_of_thread, normalised_identity
from butler_messenger.admission.limits import source_of
from butler_messenger.admission.notices import own_notice
from butler_messenger.admission.store import AdmissionStore, NewDelivery, lane_for

__all__ = ["Answering"]

_log = get_logger(__name__)

_EXPIRES_S: Final = 3600.0


class Answering:
    """Speaks for Messenger itself; a machine that answers every mail gets a bounded number of them (D23)."""

    def __init__(
        self,
        pool: Pool,
        store: AdmissionStore,
        conversations: MailConversations,
        *,
        own_name: str,
        offer: Callable[[UUID, str, str], object],
        new_id: Callable[[], UUID],
    ) -> None:
        self._pool = pool
        self._store = store
        self._conversations = conversations
        self._own_name = own_name
        self._offer = offer
        self._new_id = new_id

    async def tell(self, context: RequestContext, text: str, *, subject: str) -> None:
        """Queue the answer, unless it was queued before."""
        note = self._note(context, text, subject)
        try:
            await self._conversations.check_reply(
                note.channel, note.intent, note.thread_identity, note.request_id
            )
        except ValidationFailed as error:
            _log.warning(
                "approval_answer_withheld", request_id=str(context.request_id), problem=error.message
            )
            return
        async with transaction(self._pool, doing="answering an approver") as connection:
            stored = await self._store.insert(connection, note)
        if stored is not None:
            self._offer(note.delivery_id, lane_for(note.intent), source_of(note.origin_butler, note.channel))

    def _note(self, context: RequestContext, text: str, subject: str) -> NewDelivery:
        return own_notice(
            delivery_id=self._new_id(),
            key=f"approval-answer:{context.request_id}",
            own_name=self._own_name,
            way=_way_back(context),
            subject=subject,
            message=text,
            expires_after_s=_EXPIRES_S,
            request_id=context.request_id,
            reply_to=context.source_message_identity,
        )


def _way_back(context: RequestContext) -> tuple[str, str]:
    """Return the chat of the press, or the address that the mail came from."""
    channel, sender = context.source_channel, context.source_sender_identity
    if channel is SourceChannel.EMAIL:
        return channel, normalised_identity(channel, sender)
    return channel, chat_of_thread(channel, context.source_thread_identity or sender)
