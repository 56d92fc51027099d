"""Whether two connectors would read the same messages: each would be answered twice (CNX-17.2). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Overlap", "same_endpoint", "same_source"]

Spec = Mapping[str, Any]


@dataclass(frozen=True)
class Overlap:
    """Which field has to be another, and why."""

    field: str
    words: str


def same_endpoint(spec: Spec, other: Spec, name: str) -> Overlap | None:
    """Whether `spec` has the endpoint of the `other` spec, that of the Connector `name`: one of them may have it."""
    if (spec.get("type"), spec.get("endpointIdentity")) == (other.get("type"), other.get("endpointIdentity")):
        words = f"{spec.get('endpointIdentity')} is already the endpoint of Connector {name}"
        return Overlap("spec.endpointIdentity", words)
    return None


def same_source(spec: Spec, other: Spec, name: str) -> Overlap | None:
    """Whether `spec` reads what the `other` reads, under another name; None where each has its own, or one is stopped.

    Two that share an account and read other mailboxes of it (Gmail: labels) are parts of one source.
    """
    if spec.get("suspend") or other.get("suspend"):
        return None
    mailbox = _mailbox(spec)
    if mailbox is not None and mailbox == _mailbox(other):
        host, user, folder = mailbox
        words = f"mailbox {folder} of {user} at {host} is already read by Connector {name}; give each its own"
        return Overlap("spec.imap.mailbox", words)
    bot = _bot(spec)
    if bot is not None and bot == _bot(other):
        words = f"the bot of Secret {bot[0]} is already polled by Connector {name}; a bot has one reader"
        return Overlap("spec.telegramBot.tokenSecretRef", words)
    return None


def _mailbox(spec: Spec) -> tuple[str, str, str] | None:
    imap = spec.get("imap")
    if not isinstance(imap, Mapping) or spec.get("type") != "imap":
        return None
    folder = str(imap.get("mailbox") or "INBOX")
    # INBOX alone is the same in any case (RFC 9051, section 5.1).
    folder = "INBOX" if folder.upper() == "INBOX" else folder
    return str(imap.get("host", "")).lower(), str(imap.get("username", "")), folder


def _bot(spec: Spec) -> tuple[str, str] | None:
    bot = spec.get("telegramBot")
    ref = bot.get("tokenSecretRef") if isinstance(bot, Mapping) else None
    if not isinstance(ref, Mapping) or spec.get("type") != "telegram_bot":
        return None
    return str(ref.get("name")), str(ref.get("key"))
