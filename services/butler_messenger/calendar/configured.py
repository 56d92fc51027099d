"""The calendar that `[modules.calendar]` names; provider code is imported only if there is a secret.

Invariant: a wrong setting or secret becomes a state in words, and keeps nothing else from running.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from zoneinfo import ZoneInfo

from butler_contracts.errors import ButlerError
from butler_kit.calendar.conflicts import DayHours
from butler_kit.calendar.opened import CalendarAccount, opened
from butler_kit.config import CalendarConfig
from butler_kit.time import Clock
from butler_messenger.calendar.desk import CalendarDesk
from butler_messenger.settings import MessengerConfig

__all__ = ["configured_calendar"]


def configured_calendar(config: MessengerConfig, env: Mapping[str, str], clock: Clock) -> CalendarDesk:
    """Return the desk of the calendar; without a secret it is off."""
    given = config.modules.calendar or CalendarConfig()
    secret = env.get(given.secret_env, "").strip()
    hours = DayHours(time.fromisoformat(given.day_start), time.fromisoformat(given.day_end))
    if not secret:
        return CalendarDesk(None, given, hours, clock)
    account = CalendarAccount(
        provider=given.provider,
        url=given.url,
        calendar_id=given.calendar_id,
        username=given.username,
        secret=secret,
        zone=ZoneInfo(config.butler.timezone),
    )
    try:
        port = opened(account, clock, timeout_s=given.timeout_s)
    except ButlerError as wrong:
        return CalendarDesk(None, given, hours, clock, wrong=wrong.message)
    return CalendarDesk(port, given, hours, clock)
