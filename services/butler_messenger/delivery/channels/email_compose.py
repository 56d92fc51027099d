"""PURE: a delivery as an RFC 5322 message: our Message-ID, threading headers, RFC 3834 marks (D23, D41).

Invariant: the same delivery always has the same Message-ID, on every try and every replica.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime

from butler_messenger.delivery.present import marked_subject

__all__ = ["compose"]


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
) -> EmailMessage:
    """Build the message; `reply_to` is the Message-ID that is answered, `references` what it referred to.

    A reply says `Auto-Submitted: auto-replied`, anything else `auto-generated` (RFC 3834 §5), so that no
    well-behaved responder answers it.
    """
    # Names outside of ASCII stand in the headers as they are: only a server with SMTPUTF8 takes them.
    message = EmailMessage(policy=SMTP if sender.isascii() and recipient.isascii() else SMTPUTF8)
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
    message.set_content(body.strip() + "\n")
    return message


def _address(address: str, *, display_name: str = "") -> Address:
    name, _, domain = address.rpartition("@")
    return Address(display_name=display_name, username=name, domain=domain)
