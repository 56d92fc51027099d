"""The questions of `butlers init`, in order: ten at most, and none that an earlier answer made needless."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from butler_cli.setup import checks, reading
from butler_cli.setup.answers import Answers
from butler_cli.setup.checks import Checked, Providers
from butler_cli.setup.machine import currency_here, timezone_here
from butler_cli.setup.mail_hosts import usual_servers

__all__ = ["QUESTIONS", "Question"]


def _always(_: Answers) -> bool:
    return True


def _nothing(_: Answers) -> str:
    return ""


def _unchecked(answers: Answers, _: Providers) -> Checked:
    return Checked(answers)


@dataclass(frozen=True)
class Question:
    """`key` in a file of answers; `read` is pure, `check` asks a provider. `default` None: there is none."""

    key: str
    text: str
    read: Callable[[str, Answers], Answers]
    check: Callable[[Answers, Providers], Checked] = _unchecked
    default: Callable[[Answers], str | None] = _nothing
    applies: Callable[[Answers], bool] = _always
    hidden: bool = False


def _with_telegram(answers: Answers) -> bool:
    return answers.telegram_token is not None


def _with_mailbox(answers: Answers) -> bool:
    return answers.mail_address is not None


def _with_servers(answers: Answers) -> bool:
    return answers.imap is not None


QUESTIONS: Final = (
    Question("name", "Your name", reading.read_name, default=lambda _: None),
    Question("timezone", "Your time zone", reading.read_timezone, default=lambda _: timezone_here()),
    Question(
        "currency",
        "Currency of a sum that is told without one, such as EUR (nothing: none)",
        reading.read_currency,
        default=lambda _: currency_here(),
    ),
    Question(
        "telegram_token",
        "Telegram bot token from @BotFather, not shown (nothing: no Telegram)",
        reading.read_telegram_token,
        check=checks.telegram_token,
        hidden=True,
    ),
    Question(
        "telegram_id",
        "Your own Telegram id, a number (nothing: I read it from a message that you send to the bot)",
        reading.read_telegram_id,
        check=checks.telegram_id,
        applies=_with_telegram,
    ),
    Question(
        "mail_address",
        "Mail address of the household's own mailbox (nothing: no mail)",
        reading.read_mail_address,
    ),
    Question(
        "mail_servers",
        "Its IMAP and its SMTP server",
        reading.read_mail_servers,
        check=checks.mail_servers,
        default=lambda answers: usual_servers(answers.mail_address or ""),
        applies=_with_mailbox,
    ),
    Question(
        "mail_password",
        "Its password or app password, not shown",
        reading.read_mail_password,
        check=checks.mail_password,
        default=lambda _: None,
        applies=_with_servers,
        hidden=True,
    ),
    Question(
        "own_mail",
        "Your own mail address, from which you write (nothing: none)",
        reading.read_own_mail,
        applies=_with_mailbox,
    ),
    Question(
        "http",
        "Take messages over HTTP on this machine, and from `butlers send --channel api` (yes or no)",
        reading.read_http,
        default=lambda answers: "no" if _with_telegram(answers) or _with_mailbox(answers) else "yes",
    ),
)
