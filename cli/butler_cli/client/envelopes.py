"""PURE: turn what a person types into an `ingest.v1` envelope of one of the household's own connectors.

Ids and time come in as arguments. A mail carries no proof: it is submitted with an operator's token, and Switchboard
takes the operator's word for whose it is (D22, D88).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.ingest import TYPED_EVENT_PREFIX, IngestEnvelopeV1
from butler_contracts.parse import parse

__all__ = ["CONNECTOR_TYPE_OF", "Typed", "address_fault", "envelope_of"]

CONNECTOR_TYPE_OF: Final = {"api": "webhook", "telegram": "telegram_bot", "email": "imap"}
"""Channel → the type of connector that submits for it."""
OWN_DOMAIN: Final = "butlers.invalid"
MESSAGE_NUMBERS: Final = 2**30
"""Telegram message ids of ours are drawn above this, far from those that a chat has already used."""
_TELEGRAM_ID: Final = re.compile(r"-?\d{1,18}")
_TELEGRAM_THREAD: Final = re.compile(r"-?\d{1,18}(:\d{1,18})?")
_MAIL_ADDRESS: Final = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")


@dataclass(frozen=True)
class Typed:
    """A message as it was typed; `new_id` makes it unique, so that the same text twice is two messages."""

    channel: str
    endpoint_identity: str
    sender: str
    thread: str | None
    tier: str
    text: str
    now: datetime
    new_id: UUID


def address_fault(channel: str, sender: str, thread: str | None) -> str | None:
    """Return what is wrong with `--from` or `--thread` for this channel, in words, or None."""
    if channel == "telegram" and not _TELEGRAM_ID.fullmatch(sender):
        return f"--from {sender!r} is no Telegram id; give the person's number, for example --from 1001"
    if channel == "telegram" and thread is not None and not _TELEGRAM_THREAD.fullmatch(thread):
        return f"--thread {thread!r} is no Telegram chat; give its number, for example --thread 1001"
    if channel == "email" and not _MAIL_ADDRESS.fullmatch(sender):
        return f"--from {sender!r} is no mail address; give one such as ada@example.org"
    return None


def envelope_of(typed: Typed) -> IngestEnvelopeV1:
    """Build the envelope. Raises `ContractViolation` naming what cannot be accepted."""
    part = _OF_CHANNEL[typed.channel](typed)
    return parse(
        IngestEnvelopeV1,
        {
            "schema_version": "ingest.v1",
            "source": {
                "channel": typed.channel,
                "provider": part["provider"],
                "endpoint_identity": typed.endpoint_identity,
            },
            "event": {
                "external_event_id": _own_id(typed),
                "observed_at": typed.now.isoformat(),
                **part["event"],
            },
            "sender": {"identity": typed.sender},
            "payload": {"raw": part["raw"], "normalized_text": typed.text},
            "control": {"policy_tier": typed.tier},
        },
    )


def _own_id(typed: Typed) -> str:
    return f"{TYPED_EVENT_PREFIX}{typed.new_id}"


def _api(typed: Typed) -> dict[str, Any]:
    said = {"text": typed.text, "sender": typed.sender, "submitter": "butlers send"}
    return {
        "provider": "internal",
        "event": {"external_thread_id": typed.thread},
        "raw": {**said, "thread": typed.thread} if typed.thread is not None else said,
    }


def _telegram(typed: Typed) -> dict[str, Any]:
    """Return an update as the Bot API would give it, in a private chat unless a thread is named."""
    number = MESSAGE_NUMBERS + typed.new_id.int % MESSAGE_NUMBERS
    thread = typed.thread or typed.sender
    message = {
        "message_id": number,
        "date": int(typed.now.timestamp()),
        "chat": {"id": int(thread.partition(":")[0])},
        "from": {"id": int(typed.sender), "is_bot": False},
        "text": typed.text,
    }
    return {
        "provider": "telegram",
        "event": {"external_thread_id": thread, "external_message_id": str(number)},
        "raw": {"update_id": number, "message": message},
    }


def _email(typed: Typed) -> dict[str, Any]:
    message_id = f"<butlers-send.{typed.new_id}@{OWN_DOMAIN}>"
    headers = {
        "From": [typed.sender],
        "Date": [format_datetime(typed.now)],
        "Message-ID": [message_id],
    }
    references = [typed.thread] if typed.thread is not None else []
    return {
        "provider": "imap",
        "event": {"external_thread_id": typed.thread or message_id, "external_message_id": message_id},
        "raw": {"headers": headers, "subject": None, "text": typed.text, "references": references},
    }


_OF_CHANNEL: Final[Mapping[str, Callable[[Typed], dict[str, Any]]]] = {
    "api": _api,
    "telegram": _telegram,
    "email": _email,
}
