"""What the connectors make of a message: their own normalisers on an update, a mail, a post.

No connector runs: a new one skips what was written before its start, and here everything is said at one moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any, Final
from uuid import UUID

from bench.useful.conversations import Conversation, Message, Person, Stranger
from butler_connectors.telegram_bot.normalize import TelegramSource, envelope_of
from butler_connectors.webhook.normalize import Post, Submission
from butler_connectors.webhook.normalize import envelope_of as envelope_of_post
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.mail.normalize import FetchedMail, MailSource, normalise
from tests.support.telegram_api.updates import message_update, person

__all__ = ["ENDPOINTS", "MAILBOX", "mail_of", "of_mail", "of_post", "of_update", "update_of"]

MAILBOX: Final = "household@example.org"
AUTHORITY: Final = "mx.example.org"
ENDPOINTS: Final = {
    "telegram": ("telegram_bot", "telegram:bot:household", "interactive"),
    "mail": ("imap", f"imap:{MAILBOX}", "default"),
    "api": ("webhook", "webhook:household", "interactive"),
}
"""By channel: the connector's type, its endpoint, its highest tier."""


def update_of(message: Message, by: Person | Stranger, *, said: datetime) -> dict[str, Any]:
    """Return the Telegram update, without the ids that the provider assigns."""
    first, _, last = by.name.partition(" ")
    user = person(by.telegram, first, **({"last_name": last} if last else {}))
    kind = "edited_message" if message.edit is not None else "message"
    content = _media(message)
    if message.say:
        content["caption" if {"photo", "voice", "document"} & set(content) else "text"] = message.say
    return message_update(user, kind=kind, date=int(said.timestamp()), **content)


def _media(message: Message) -> dict[str, Any]:
    """Return the parts of https://core.telegram.org/bots/api#message other than text."""
    file = {"file_id": "f1", "file_unique_id": "u1", "file_size": 120_000}
    parts: dict[str, Any] = {}
    if message.photo:
        parts["photo"] = [{**file, "width": 1280, "height": 960}]
    if message.voice is not None:
        parts["voice"] = {**file, "duration": message.voice, "mime_type": "audio/ogg"}
    if message.document is not None:
        parts["document"] = {**file, "file_name": message.document, "mime_type": "application/pdf"}
    if message.location is not None:
        parts["location"] = {"latitude": message.location[0], "longitude": message.location[1]}
    if message.contact is not None:
        parts["contact"] = {"first_name": message.contact.name, "phone_number": message.contact.phone}
    if message.sticker is not None:
        parts["sticker"] = {**file, "type": "regular", "emoji": message.sticker, "width": 512, "height": 512}
    return parts


def of_update(update: Mapping[str, Any], *, now: datetime) -> IngestEnvelopeV1:
    """As the Telegram connector submits it."""
    return _made(envelope_of(update, TelegramSource(ENDPOINTS["telegram"][1]), now=now))


def mail_of(
    message: Message,
    conversation: Conversation,
    *,
    sender: tuple[str, str],
    ids: tuple[str, str | None],
    said: datetime,
) -> bytes:
    """Return the mail of (name, address), with its own id and the one it answers; authenticated if `proof` is set."""
    (name, address), (own, answered) = sender, ids
    mail = EmailMessage()
    domain = address.rpartition("@")[2]
    if conversation.proof:
        mail["Authentication-Results"] = f"{AUTHORITY}; dmarc=pass header.from={domain}"
    mail["From"] = f"{name} <{address}>"
    mail["To"] = MAILBOX
    mail["Subject"] = message.subject or ""
    mail["Date"] = format_datetime(said)
    mail["Message-ID"] = own
    if answered is not None:
        mail["In-Reply-To"] = mail["References"] = answered
    for header, value in conversation.headers.items():
        mail[header] = value
    mail.set_content(f"{message.say}\n")
    return mail.as_bytes()


def of_mail(content: bytes, *, uid: int, now: datetime) -> IngestEnvelopeV1:
    """As the mailbox's connector submits it."""
    fetched = FetchedMail(
        uid=uid, uid_validity=1, internal_date=now, size_bytes=len(content), content=content
    )
    return _made(normalise(fetched, MailSource(ENDPOINTS["mail"][1])).content)


def of_post(message: Message, *, sender: str, thread: str, post_id: UUID, now: datetime) -> IngestEnvelopeV1:
    """As the webhook submits it."""
    submission = Submission(Post(text=message.say, sender=sender, thread=thread), "bench", None, post_id)
    return envelope_of_post(
        submission, endpoint_identity=ENDPOINTS["api"][1], tier=lambda tier: tier, now=now
    )


def _made(content: object) -> IngestEnvelopeV1:
    if not isinstance(content, IngestEnvelopeV1):
        raise TypeError(f"the connector submits no such message: {content}")
    return content
