"""PURE: a delivery as its channel needs it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.actions import Pressed, messengers_own
from butler_messenger.admission.key import original_key
from butler_messenger.attachments.decisions import Without
from butler_messenger.delivery.channels.port import Button, Enclosed, Outgoing

__all__ = ["Wished", "outgoing_of"]

_MESSAGE_ID: Final = re.compile(r"<?([^<>\s@]+@[^<>\s@]+)>?")


class Wished(Protocol):
    """The part of a delivery that says what is sent, whether it is stored already or not."""

    @property
    def delivery_id(self) -> UUID: ...
    @property
    def idempotency_key(self) -> str: ...
    @property
    def subrequest_id(self) -> UUID | None: ...
    @property
    def origin_butler(self) -> str: ...
    @property
    def intent(self) -> str: ...
    @property
    def channel(self) -> str: ...
    @property
    def target_identity(self) -> str | None: ...
    @property
    def reply_to(self) -> str | None: ...
    @property
    def notify_request(self) -> Mapping[str, Any]: ...
    @property
    def unsubscribe_token(self) -> UUID | None: ...
    @property
    def not_attached(self) -> Mapping[int, Without]: ...
    @property
    def marked(self) -> bool: ...


def outgoing_of(delivery: Wished) -> Outgoing:
    """Build what is sent; `ValueError` for a delivery without a target.

    A replay is the same message: a mail keeps its Message-ID, by which accounts and people know it (D41).
    """
    if delivery.target_identity is None:
        raise ValueError(f"delivery {delivery.delivery_id} has no target")
    wish: dict[str, Any] = delivery.notify_request["delivery"]
    context: dict[str, Any] = delivery.notify_request.get("request_context") or {}
    mail = delivery.channel == "email"
    reply_to = _message_id(delivery.reply_to) if mail else delivery.reply_to
    root = _message_id(context.get("source_thread_identity")) if mail else None
    return Outgoing(
        delivery_id=delivery.delivery_id,
        idempotency_key=original_key(delivery.idempotency_key),
        origin_butler=delivery.origin_butler,
        intent=delivery.intent,
        target=delivery.target_identity,
        message=wish.get("message") or "",
        format=wish.get("format") or "plain",
        subject=_subject(delivery, wish, context),
        reply_to=reply_to,
        references=(root,) if root is not None and reply_to is not None else (),
        emoji=wish.get("emoji"),
        topic=_topic(delivery, context),
        buttons=_buttons(delivery, wish),
        unsubscribe_token=delivery.unsubscribe_token,
        files=_files(delivery, wish),
        marked=delivery.marked,
    )


def _subject(delivery: Wished, wish: dict[str, Any], context: dict[str, Any]) -> str | None:
    """Return the subject; a reply keeps the answered mail's, by which mail programs group conversations."""
    asked = context.get("source_subject") if delivery.intent == "reply" else None
    return asked or wish.get("subject")


def _topic(delivery: Wished, context: dict[str, Any]) -> str | None:
    """Return the topic of `<chat>:<topic>`, for a reply that goes back into that chat."""
    if delivery.channel != "telegram" or delivery.intent != "reply":
        return None
    chat, _, topic = (context.get("source_thread_identity") or "").partition(":")
    return topic if chat == delivery.target_identity and topic.isdecimal() else None


def _buttons(delivery: Wished, wish: dict[str, Any]) -> tuple[Button, ...]:
    """Return the buttons; a reference names the notification, by which Switchboard finds whose it is (ADR 0041)."""
    return tuple(
        Button(action["label"], Pressed(_asked_by(delivery, action["id"]), action["id"]).reference)
        for action in wish.get("actions") or ()
    )


def _asked_by(delivery: Wished, action_id: str) -> UUID:
    """Return the notification's id; a question or note of Messenger itself keeps the one in its actions (ADR 0072)."""
    if delivery.subrequest_id is not None:
        return delivery.subrequest_id
    return messengers_own(action_id) or delivery.delivery_id


def _files(delivery: Wished, wish: dict[str, Any]) -> tuple[Enclosed, ...]:
    """Return its files, none of them fetched; those left out have the text that stands instead."""
    without = delivery.not_attached
    return tuple(
        Enclosed(
            one["name"],
            one["media_type"],
            one["size_bytes"],
            instead=without[number].instead if number in without else None,
        )
        for number, one in enumerate(wish.get("attachments") or ())
    )


def _message_id(value: str | None) -> str | None:
    """A Message-ID in its angle brackets; None for what cannot be one (RFC 5322 §3.6.4)."""
    found = _MESSAGE_ID.fullmatch(value.strip()) if value else None
    return f"<{found.group(1)}>" if found else None
