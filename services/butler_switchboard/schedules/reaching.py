"""Tells a person of the household something unasked, once under its key, by the first channel that takes it."""

from __future__ import annotations

from typing import Final, Protocol

from butler_contracts.errors import ErrorDetail
from butler_contracts.notify import DeliveryChannel, NotifyDelivery, NotifyRequestV1, NotifyResponseV1
from butler_contracts.people import PersonV1

__all__ = ["Telling", "can_be_reached", "tell"]

_PUSHED: Final[tuple[DeliveryChannel, ...]] = ("telegram", "email")
"""The channels on which a person may be written to unasked, in this order."""


class Telling(Protocol):
    async def send(self, request: NotifyRequestV1, *, purpose: str) -> NotifyResponseV1: ...


def can_be_reached(person: PersonV1) -> bool:
    """Tell whether there is a channel to write to this person."""
    return bool(_ways(person))


async def tell(
    telling: Telling, person: PersonV1, key: str, message: str, *, purpose: str, subject: str
) -> ErrorDetail | None:
    """Send by the first channel that accepts; return a retryable error, or the refusal if all refuse."""
    refused: ErrorDetail | None = None
    for channel in _ways(person):
        request = _request(person, channel, key, message, subject)
        response = await telling.send(request, purpose=purpose)
        if response.error is None or response.error.retryable:
            return response.error
        refused = refused or response.error
    return refused


def _ways(person: PersonV1) -> tuple[DeliveryChannel, ...]:
    known = {address.channel for address in person.addresses}
    return tuple(channel for channel in _PUSHED if channel in known)


def _request(
    person: PersonV1, channel: DeliveryChannel, key: str, message: str, subject: str
) -> NotifyRequestV1:
    return NotifyRequestV1(
        origin_butler="switchboard",
        delivery=NotifyDelivery(
            intent="send",
            channel=channel,
            message=message,
            contact_id=str(person.contact_id),
            subject=subject if channel == "email" else None,
            idempotency_key=key,
        ),
    )
