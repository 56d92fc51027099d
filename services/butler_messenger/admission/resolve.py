"""The target of a notify (MSG-6.2): `contact_id`, else the explicit recipient, else the owner; a reply goes back.

Invariant: a target comes from exactly one of these sources, never from a guess; a notify without one is refused
or parked, and nothing is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import NotifyDelivery, NotifyRequestV1
from butler_messenger.admission.identity import chat_of_thread, deliverable_identity, normalised_identity

__all__ = ["Contact", "ContactBook", "MissingIdentifier", "Target", "resolve", "thread_key"]


@dataclass(frozen=True, slots=True)
class Contact:
    """A person of the household's contacts."""

    contact_id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class Target:
    """A resolved destination: `thread` orders deliveries, `reply_to` is the provider's id of the message."""

    identity: str
    thread: str
    reply_to: str | None = None
    contact_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class MissingIdentifier:
    """The person is known (or at least named by id), but not on this channel."""

    contact_id: UUID
    name: str | None


class ContactBook(Protocol):
    """The known contacts, as stored in schema `shared`."""

    async def owner(self) -> Contact | None: ...

    async def name_of(self, contact_id: UUID) -> str | None: ...

    async def identifier(self, contact_id: UUID, channel: str) -> str | None: ...

    async def is_household(self, channel: str, identity: str) -> bool: ...


async def resolve(notify: NotifyRequestV1, book: ContactBook) -> Target | MissingIdentifier:
    """Find the destination; `ValidationFailed` if targeting fields are missing or inconsistent."""
    delivery, context = notify.delivery, notify.request_context
    if delivery.intent != "send":
        if context is None:
            raise ValidationFailed(
                f"request_context is missing; a {delivery.intent} needs the request it answers"
            )
        return await _answer(delivery, context, book)
    if delivery.contact_id is not None:
        contact_id = _contact_id(delivery.contact_id)
        value = await book.identifier(contact_id, delivery.channel)
        if value is None:
            return MissingIdentifier(contact_id, await book.name_of(contact_id))
        return _addressed(delivery, value, contact_id)
    if delivery.recipient is not None:
        return _addressed(delivery, delivery.recipient, None)
    return await _owner(delivery, book)


async def _owner(delivery: NotifyDelivery, book: ContactBook) -> Target | MissingIdentifier:
    owner = await book.owner()
    if owner is None:
        raise ValidationFailed(
            "no recipient and no owner: name contact_id or recipient, or give the contacts file an owner"
        )
    value = await book.identifier(owner.contact_id, delivery.channel)
    if value is None:
        return MissingIdentifier(owner.contact_id, owner.name)
    return _addressed(delivery, value, owner.contact_id)


def _addressed(delivery: NotifyDelivery, value: str, contact_id: UUID | None) -> Target:
    identity = deliverable_identity(delivery.channel, value)
    return Target(identity, thread_key(delivery.channel, identity), None, contact_id)


async def _answer(delivery: NotifyDelivery, context: RequestContext, book: ContactBook) -> Target:
    home = _lineage_target(delivery.channel, context)
    chosen, contact_id = home, None
    if delivery.contact_id is not None:
        contact_id = _contact_id(delivery.contact_id)
        value = await book.identifier(contact_id, delivery.channel)
        chosen = deliverable_identity(delivery.channel, value) if value is not None else ""
    elif delivery.recipient is not None:
        chosen = deliverable_identity(delivery.channel, delivery.recipient)
    sender = normalised_identity(delivery.channel, context.source_sender_identity)
    if chosen not in (home, sender):
        raise ValidationFailed(
            "the recipient of a reply must be the sender or the thread of the request it answers"
        )
    thread = thread_key(delivery.channel, chosen, context if chosen == home else None)
    # A message can only be quoted in the chat where it is.
    reply_to = context.source_message_identity if chosen == home else None
    if delivery.intent == "react" and reply_to is None:
        raise ValidationFailed(
            "request_context.source_message_identity is missing; a reaction is set on a message"
        )
    return Target(chosen, thread, _message_id(delivery.channel, reply_to), contact_id)


def _lineage_target(channel: str, context: RequestContext) -> str:
    if channel == "telegram":
        if context.source_thread_identity is None:
            raise ValidationFailed(
                "request_context.source_thread_identity is missing; it is the chat that is answered"
            )
        return deliverable_identity(channel, chat_of_thread(channel, context.source_thread_identity))
    return deliverable_identity(channel, context.source_sender_identity)


def _message_id(channel: str, value: str | None) -> str | None:
    if value is None or channel != "telegram":
        return value
    if not value.isdecimal():
        raise ValidationFailed("request_context.source_message_identity is not a Telegram message id")
    return value


def thread_key(channel: str, identity: str, context: RequestContext | None = None) -> str:
    """Return the key that keeps deliveries in order (MSG-10).

    The chat on Telegram, or the topic in a forum; the conversation by mail, else the address. `context` is the
    request if it is answered where it came from.
    """
    home = context.source_thread_identity if context is not None else None
    if home is None:
        return f"{channel}:{identity}"
    return f"{channel}:{home}"


def _contact_id(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise ValidationFailed("delivery.contact_id is not a contact's id (a UUID)") from None
