"""Opening the calendar of an account, for Messenger and `butlers doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote
from zoneinfo import ZoneInfo

from butler_kit.calendar.exchange import Exchange
from butler_kit.calendar.port import CalendarPort, misconfigured
from butler_kit.time import Clock

__all__ = ["CalendarAccount", "opened"]


@dataclass(frozen=True, slots=True)
class CalendarAccount:
    """A calendar's address and login; `secret` is a password, or Google's JSON of an authorized user."""

    provider: Literal["google", "caldav"]
    url: str | None
    calendar_id: str | None
    username: str | None
    secret: str
    zone: ZoneInfo


def opened(account: CalendarAccount, clock: Clock, *, timeout_s: float) -> CalendarPort:
    """Return its port; sends nothing yet. Raises `TargetUnavailable` for an invalid secret or setting."""
    exchange = Exchange(timeout_s=timeout_s)
    if account.provider == "caldav":
        from butler_kit.calendar.caldav import CalDav, CalDavAccount

        if account.url is None or account.username is None:
            raise misconfigured("a CalDAV calendar needs url and username")
        url = account.url.rstrip("/")
        if account.calendar_id is not None:
            url = f"{url}/{quote(account.calendar_id, safe='')}"
        caldav = CalDavAccount(url, account.username, account.secret, account.zone)
        return CalDav(caldav, exchange, clock)
    from butler_kit.calendar.google import GOOGLE_API, GoogleCalendar
    from butler_kit.calendar.google_account import GoogleSecret, GoogleTokens

    tokens = GoogleTokens(GoogleSecret.of(account.secret), exchange, clock)
    return GoogleCalendar(account.calendar_id or "primary", tokens, exchange, api=account.url or GOOGLE_API)
