"""PURE: parse one typed answer into the answers; `Unacceptable` names what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Final
from zoneinfo import available_timezones

from pydantic import TypeAdapter, ValidationError

from butler_cli.setup.answers import Answers, Unacceptable
from butler_cli.setup.mail_hosts import read_servers, without_passwords
from butler_contracts.currencies import CURRENCIES
from butler_resources.kinds.base import ShortText, TimeZone

__all__ = [
    "read_currency",
    "read_http",
    "read_mail_address",
    "read_mail_password",
    "read_mail_servers",
    "read_name",
    "read_own_mail",
    "read_telegram_id",
    "read_telegram_token",
    "read_timezone",
]

_TOKEN: Final = re.compile(r"\d{1,20}:[A-Za-z0-9_-]{5,100}")
_ACCOUNT: Final = re.compile(r"[1-9]\d{0,18}")
_MAIL: Final = re.compile(r"[^@\s<>,;:\"()]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+")
_YES: Final = frozenset({"y", "yes", "true", "on"})
_NO: Final = frozenset({"n", "no", "false", "off"})
_NAME: Final[TypeAdapter[str]] = TypeAdapter(ShortText)
_ZONE: Final[TypeAdapter[str]] = TypeAdapter(TimeZone)


def read_name(text: str, answers: Answers) -> Answers:
    """The owner's name."""
    name = " ".join(text.split())
    try:
        _NAME.validate_python(name)
    except ValidationError:
        raise Unacceptable("a name is needed, of 200 characters at most") from None
    if not name.isprintable():
        raise Unacceptable("the name has characters that cannot be shown; write it in letters")
    return replace(answers, name=name)


def read_timezone(text: str, answers: Answers) -> Answers:
    """An IANA time zone; for a city alone, the error names the zone."""
    try:
        return replace(answers, timezone=_ZONE.validate_python(text))
    except ValidationError:
        hint = _hint(_zones_like(text)) or "; expected one such as Europe/Berlin"
        raise Unacceptable(f"'{text}' is no time zone{hint}") from None


def _zones_like(text: str) -> list[str]:
    known = sorted(available_timezones())
    wanted = text.strip().replace(" ", "_").casefold()
    cities = [zone for zone in known if wanted and zone.casefold().rpartition("/")[2] == wanted]
    return cities or get_close_matches(text, known, n=1)


def read_currency(text: str, answers: Answers) -> Answers:
    """A code of ISO 4217, or none."""
    code = text.strip().upper()
    if code and code not in CURRENCIES:
        near = get_close_matches(code, sorted(CURRENCIES), n=1)
        hint = _hint(near) or "; expected a code such as EUR, or nothing for none"
        raise Unacceptable(f"'{text}' is no currency{hint}")
    return replace(answers, currency=code or None)


def _hint(near: Sequence[str]) -> str:
    return f", did you mean {near[0]}?" if near else ""


def read_telegram_token(text: str, answers: Answers) -> Answers:
    """A bot's token, or none. It is a secret: no error shows it."""
    token = text.strip()
    if token and not _TOKEN.fullmatch(token):
        raise Unacceptable(
            "that is no bot token; it looks like 123456789:AAH4…, and @BotFather shows it with /token"
        )
    return replace(answers, telegram_token=token or None)


def read_telegram_id(text: str, answers: Answers) -> Answers:
    """The number of the owner's account; empty means that it is read from a message."""
    number = text.strip()
    if number and not _ACCOUNT.fullmatch(number):
        raise Unacceptable(
            f"'{number}' is no account's number; a @name cannot be used, write a number such as 123456789"
        )
    return replace(answers, telegram_id=number)


def read_mail_address(text: str, answers: Answers) -> Answers:
    """The household's mailbox, or none."""
    address = text.strip()
    if not address:
        return replace(answers, mail_address=None)
    if without_passwords(address):
        raise Unacceptable(
            f"'{address}': Microsoft lets no program into this mailbox with a password; "
            "give the household one at another provider, or leave this empty"
        )
    return replace(answers, mail_address=_address(address))


def read_own_mail(text: str, answers: Answers) -> Answers:
    """The owner's own address, or none."""
    address = text.strip()
    if not address and answers.telegram_token is None:
        raise Unacceptable(
            "without it the household could not know you; give the address that you write from"
        )
    if not address:
        return replace(answers, own_mail=None)
    if answers.mail_address is not None and address.casefold() == answers.mail_address.casefold():
        raise Unacceptable(
            f"'{address}' is the household's own mailbox; give the address that you write from"
        )
    return replace(answers, own_mail=_address(address))


def _address(text: str) -> str:
    if not _MAIL.fullmatch(text):
        raise Unacceptable(f"'{text}' is no mail address; expected one such as ada@example.org")
    return text


def read_mail_servers(text: str, answers: Answers) -> Answers:
    """The servers of the household's mailbox."""
    imap, smtp = read_servers(text)
    return replace(answers, imap=imap, smtp=smtp)


def read_mail_password(text: str, answers: Answers) -> Answers:
    """The password of the household's mailbox, without the blanks in which Google shows its app passwords."""
    password = text.strip()
    if re.fullmatch(r"[a-z]{4}( [a-z]{4}){3}", password):
        password = password.replace(" ", "")
    if not password:
        raise Unacceptable("the mailbox needs a password; Ctrl-C ends this, and nothing was written yet")
    return replace(answers, mail_password=password)


def read_http(text: str, answers: Answers) -> Answers:
    """Whether messages are taken over HTTP; a household needs at least one channel."""
    word = text.strip().casefold()
    if word not in _YES | _NO:
        raise Unacceptable(f"'{text}' is neither yes nor no")
    if word in _NO and answers.telegram_token is None and answers.mail_address is None:
        raise Unacceptable("without Telegram, mail and HTTP nothing can reach the household; say yes")
    return replace(answers, http=word in _YES)
