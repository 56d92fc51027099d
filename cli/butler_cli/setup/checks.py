"""Check answers with the providers as soon as they are given, so that nothing wrong is ever written."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from butler_cli.setup.answers import Answers, Unacceptable

__all__ = ["Checked", "Providers", "mail_password", "mail_servers", "telegram_id", "telegram_token"]

TELEGRAM_API: Final = "https://api.telegram.org"
PATIENCE_S: Final = 180.0
"""How long to wait for a message to the bot."""
CODES: Final = 900_000


@dataclass(frozen=True)
class Checked:
    """The answers with what was learned; `told` is shown to the person."""

    answers: Answers
    told: str = ""


@dataclass(frozen=True)
class Providers:
    """How the person is told something meanwhile; `waits` means that somebody is there to write to a bot."""

    say: Callable[[str], None]
    waits: bool
    patience_s: float = PATIENCE_S


def telegram_token(answers: Answers, _: Providers) -> Checked:
    """Check that the bot exists and is free."""
    if answers.telegram_token is None:
        return Checked(answers)
    from butler_cli.setup.telegram import bot_name

    name = bot_name(answers.telegram_token, api=answers.telegram_api or TELEGRAM_API)
    return Checked(replace(answers, telegram_bot=name), f"this is @{name}")


def telegram_id(answers: Answers, providers: Providers) -> Checked:
    """Check that the bot may write to the owner; without a number, read it from their message."""
    from butler_cli.setup.telegram import check_account, id_of_writer

    token, api, bot = answers.telegram_token or "", answers.telegram_api or TELEGRAM_API, answers.telegram_bot
    if answers.telegram_id:
        check_account(token, answers.telegram_id, api=api, bot=bot)
        return Checked(answers, f"@{bot} may write to {answers.telegram_id}")
    if not providers.waits:
        raise Unacceptable("a number is needed here; without one somebody has to write to the bot")
    code = str(100_000 + secrets.randbelow(CODES))
    providers.say(f"open https://t.me/{bot}?start={code} and press Start, or send {code} to @{bot}; waiting")
    number, name = id_of_writer(token, code, api=api, bot=bot, patience_s=providers.patience_s)
    return Checked(replace(answers, telegram_id=number), f"{name} wrote it: your Telegram id is {number}")


def mail_servers(answers: Answers, _: Providers) -> Checked:
    """Check that both servers answer."""
    from butler_cli.setup.mail import reach

    if answers.imap is None or answers.smtp is None:
        return Checked(answers)
    reach(answers.imap, answers.smtp)
    return Checked(answers, f"{answers.imap.host} and {answers.smtp.host} answer")


def mail_password(answers: Answers, _: Providers) -> Checked:
    """Check that the password opens the mailbox, to read and to send."""
    from butler_cli.setup.mail import log_in

    if answers.imap is None or answers.smtp is None:
        return Checked(answers)
    address, password = answers.mail_address or "", answers.mail_password or ""
    sent = log_in(answers.imap, answers.smtp, address=address, password=password)
    return Checked(
        replace(answers, sent_mailbox=sent), f"the mailbox of {address} opens, to read and to send"
    )
