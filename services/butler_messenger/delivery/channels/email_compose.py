"""PURE: a delivery as an RFC 5322 message: our Message-ID, threading headers, RFC 3834 marks, RFC 2369 (D23, D41).

Invariant: the same delivery always has the same Message-ID, on every try and every replica.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8, Policy
from email.utils import format_datetime
from typing import Final
from urllib.parse import quote
from uuid import UUID

from butler_contracts.unsubscribing import unsubscribe_subject
from butler_messenger.delivery.channels.port import Enclosed
from butler_messenger.delivery.present import marked_subject

__all__ = ["compose", "with_files"]


class _OneLine(UnstructuredHeader, BaseHeader):
    """An unfolded header: the library would encode a URL longer than a line, and nobody could follow it."""

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


_HEADERS: Final = HeaderRegistry()
_HEADERS.map_to_type("List-Unsubscribe", _OneLine)
_PLAIN: Final = SMTP.clone(header_factory=_HEADERS)
_UTF8: Final = SMTPUTF8.clone(header_factory=_HEADERS)


def compose(
    *,
    sender: str,
    recipient: str,
    origin: str,
    subject: str | None,
    body: str,
    message_id: str,
    date: datetime,
    reply: bool = False,
    reply_to: str | None = None,
    references: Sequence[str] = (),
    unsubscribe_token: UUID | None = None,
) -> EmailMessage:
    """Build the message; `reply_to` is the answered Message-ID, `references` the ones it referred to.

    With a token it tells how to unsubscribe: by a mail to the sender (RFC 2369 §3.2).

    A reply has `Auto-Submitted: auto-replied`, anything else `auto-generated` (RFC 3834 §5), so that no
    well-behaved responder answers it.
    """
    # Non-ASCII names are not encoded in the headers: only a server with SMTPUTF8 takes them.
    message = EmailMessage(policy=_PLAIN if sender.isascii() and recipient.isascii() else _UTF8)
    message["From"] = _address(sender, display_name="Butlers")
    message["To"] = _address(recipient)
    message["Subject"] = marked_subject(origin, subject, reply=reply)
    message["Date"] = format_datetime(date)
    message["Message-ID"] = message_id
    if reply_to is not None:
        message["In-Reply-To"] = reply_to
        message["References"] = " ".join(dict.fromkeys((*references, reply_to)))
    message["Auto-Submitted"] = "auto-replied" if reply else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    if unsubscribe_token is not None:
        subject_of_theirs = quote(unsubscribe_subject(unsubscribe_token))
        message["List-Unsubscribe"] = f"<mailto:{quote(sender, safe='@')}?subject={subject_of_theirs}>"
    message.set_content(body.strip() + "\n")
    return message


def with_files(message: EmailMessage, files: Sequence[Enclosed]) -> bytes:
    """Return the mail with its files attached (RFC 2183, non-ASCII names by RFC 2231).

    The text ends with a sentence for each missing file.
    """
    missing = [one.instead for one in files if one.instead is not None]
    if missing:
        message.set_content("\n\n".join((message.get_content().rstrip(), *missing)) + "\n")
    for one in files:
        if one.content is not None:
            main, sub = _media_type(one.media_type)
            message.add_attachment(one.content, maintype=main, subtype=sub, filename=one.name)
    return bytes(message)


def _media_type(said: str) -> tuple[str, str]:
    """Return type and subtype; messages and multiparts may not be base64 (RFC 2046 §5), so go as any file."""
    main, _, sub = said.lower().partition("/")
    return ("application", "octet-stream") if main in ("message", "multipart") else (main, sub)


def _address(address: str, *, display_name: str = "") -> Address:
    name, _, domain = address.rpartition("@")
    return Address(display_name=display_name, username=name, domain=domain)
