"""Render `[modules]`: channels, files, calendar, their credentials as variable names, approvals, memory."""

from __future__ import annotations

from typing import Any, Final

from butler_resources.kinds import Butler, SecretRef
from butler_resources.kinds.modules import Attachments, CalendarModule, EmailBot, Modules, TelegramBot
from butler_resources.render.tables import table_of

__all__ = [
    "ATTACHMENTS_TOKEN_ENV",
    "CALENDAR_SECRET_ENV",
    "CANARY_KEY_ENV",
    "EMAIL_ADDRESS_ENV",
    "EMAIL_PASSWORD_ENV",
    "INSTRUCTIONS_FILE_ENV",
    "MODEL_KEY_ENV",
    "TELEGRAM_TOKEN_ENV",
    "attachments_token",
    "calendar_secret",
    "modules_table",
]

TELEGRAM_TOKEN_ENV: Final = "BUTLER_TELEGRAM_TOKEN"  # noqa: S105 - the name of a variable
EMAIL_ADDRESS_ENV: Final = "BUTLER_EMAIL_ADDRESS"
EMAIL_PASSWORD_ENV: Final = "BUTLER_EMAIL_PASSWORD"  # noqa: S105 - the name of a variable

CALENDAR_SECRET_ENV: Final = "BUTLER_CALENDAR_SECRET"  # noqa: S105 - the name of a variable
ATTACHMENTS_TOKEN_ENV: Final = "BUTLER_ATTACHMENTS_TOKEN"  # noqa: S105 - the name of a variable
MODEL_KEY_ENV: Final = "BUTLER_MODEL_API_KEY"
CANARY_KEY_ENV: Final = "BUTLER_CANARY_API_KEY"
INSTRUCTIONS_FILE_ENV: Final = "BUTLERS_INSTRUCTIONS_FILE"


def modules_table(modules: Modules) -> dict[str, Any]:
    """Return the table `[modules]`."""
    section: dict[str, Any] = {}
    if modules.telegram is not None:
        section["telegram"] = {"bot": _telegram(modules.telegram.bot), "user": {"enabled": False}}
    if modules.email is not None:
        section["email"] = {"bot": _email(modules.email.bot), "user": {"enabled": False}}
    if modules.approvals is not None:
        section["approvals"] = table_of(modules.approvals)
    if modules.attachments is not None:
        section["attachments"] = _attachments(modules.attachments)
    if modules.memory is not None:
        section["memory"] = table_of(modules.memory)
    if modules.calendar is not None:
        section["calendar"] = _calendar(modules.calendar)
    return section


def calendar_secret(butler: Butler) -> SecretRef | None:
    """Return the calendar's secret if the manifest names one; without it the calendar is off."""
    modules = butler.spec.modules
    return modules.calendar.secret_ref if modules is not None and modules.calendar is not None else None


def attachments_token(butler: Butler) -> SecretRef | None:
    """Return the token for the stores of files if the manifest names one; without it none is sent."""
    modules = butler.spec.modules
    if modules is None or modules.attachments is None:
        return None
    return modules.attachments.token_secret_ref


def _attachments(module: Attachments) -> dict[str, Any]:
    table = table_of(module.model_copy(update={"token_secret_ref": None}))
    return table if module.token_secret_ref is None else table | {"token_env": ATTACHMENTS_TOKEN_ENV}


def _calendar(module: CalendarModule) -> dict[str, Any]:
    table = table_of(module.model_copy(update={"secret_ref": None}))
    return table if module.secret_ref is None else table | {"secret_env": CALENDAR_SECRET_ENV}


def _telegram(bot: TelegramBot) -> dict[str, Any]:
    base = {} if bot.api_base_url is None else {"api_base_url": bot.api_base_url}
    return {"token_env": TELEGRAM_TOKEN_ENV} | base


def _email(bot: EmailBot) -> dict[str, Any]:
    section: dict[str, Any] = {
        "address_env": EMAIL_ADDRESS_ENV,
        "password_env": EMAIL_PASSWORD_ENV,
        "sent_autofile": bot.sent_autofile,
        "smtp": bot.smtp.model_dump(),
    }
    if not bot.list_unsubscribe:
        section["list_unsubscribe"] = False
    if bot.sent_mailbox is not None:
        section["sent_mailbox"] = bot.sent_mailbox.model_dump()
    if bot.inbox is not None:
        section["inbox"] = bot.inbox.model_dump() | {"endpoint_identity": bot.mailbox_identity}
    return section
