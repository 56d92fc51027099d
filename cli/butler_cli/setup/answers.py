"""PURE: the answers so far, and the refusal of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from butler_resources.kinds.base import Server

__all__ = ["Answers", "Unacceptable"]


class Unacceptable(Exception):
    """An answer that cannot be used; the text names it as it was given, unless it is a secret, and what to do."""


@dataclass(frozen=True)
class Answers:
    """Every answer; None or empty is "none of that". What the providers reported is kept beside them."""

    name: str = ""
    timezone: str = ""
    currency: str | None = None
    telegram_token: str | None = field(default=None, repr=False)
    telegram_bot: str = ""
    """The bot's name at Telegram, without @."""
    telegram_id: str | None = None
    telegram_api: str | None = None
    """The user's own Bot API server; never asked for."""
    mail_address: str | None = None
    imap: Server | None = None
    smtp: Server | None = None
    mail_password: str | None = field(default=None, repr=False)
    sent_mailbox: str | None = None
    """The account's folder of sent mail, if the server names it."""
    own_mail: str | None = None
    http: bool = False
