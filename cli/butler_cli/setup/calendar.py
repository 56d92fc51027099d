"""Ask a calendar's provider whether it knows the account (RFC 4791, Google's Calendar API); nothing in it is read.

Invariant: no text of this module contains the secret.
"""

from __future__ import annotations

import asyncio
from typing import Final
from zoneinfo import ZoneInfo

from butler_cli.setup.answers import Unacceptable
from butler_contracts.errors import ButlerError
from butler_kit.calendar.opened import CalendarAccount, opened
from butler_kit.time import SystemClock
from butler_resources.kinds.modules import CalendarModule

__all__ = ["open_calendar"]

_ANSWER_S: Final = 20.0


def open_calendar(module: CalendarModule, secret: str) -> None:
    """Raise `Unacceptable` unless the account has such a calendar."""
    account = CalendarAccount(
        provider=module.provider or "google",
        url=module.url,
        calendar_id=module.calendar_id,
        username=module.username,
        secret=secret.strip(),
        zone=ZoneInfo("UTC"),
    )
    try:
        asyncio.run(_asked(account))
    except ButlerError as refused:
        raise Unacceptable(refused.message) from None


async def _asked(account: CalendarAccount) -> None:
    port = opened(account, SystemClock(), timeout_s=_ANSWER_S)
    try:
        await port.check()
    finally:
        await port.aclose()
