"""PURE: tells the sender the result of a held call, after their message was answered (D19, MSG-6)."""

from __future__ import annotations

from typing import Final, cast

from butler_contracts.notify import DeliveryChannel, NotifyDelivery, NotifyRequestV1
from butler_contracts.text import plain_line
from butler_specialist.held.model import HeldCall
from butler_specialist.held.words import end_text
from butler_specialist.remind.reach import PUSHED

__all__ = ["telling_of"]

_SUBJECT_CHARS: Final = 90


def telling_of(call: HeldCall, *, own_name: str) -> NotifyRequestV1 | None:
    """Return a reply in the message's thread if possible, else a message to the person.

    None if nothing can be sent.
    """
    context, text, key = call.context, end_text(call), f"held:{call.wish.call_id}"
    if context.source_channel in PUSHED:
        delivery = NotifyDelivery(
            intent="reply",
            channel=cast(DeliveryChannel, context.source_channel.value),
            message=text,
            idempotency_key=key,
        )
        return NotifyRequestV1(origin_butler=own_name, delivery=delivery, request_context=context)
    if call.reach is None:
        return None
    delivery = NotifyDelivery(
        intent="send",
        channel=call.reach.channel,
        message=text,
        contact_id=str(call.reach.contact_id) if call.reach.contact_id is not None else None,
        recipient=call.reach.address,
        subject=plain_line(text, most=_SUBJECT_CHARS) if call.reach.channel == "email" else None,
        idempotency_key=key,
        urgency="high",
    )
    return NotifyRequestV1(origin_butler=own_name, delivery=delivery)
