"""Both calendars as one thing to test: a real CalDAV server, and a double that follows Google's documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from butler_kit.calendar.caldav import CalDav, CalDavAccount
from butler_kit.calendar.exchange import Exchange
from butler_kit.calendar.google import GoogleCalendar
from butler_kit.calendar.google_account import GoogleSecret, GoogleTokens
from butler_kit.calendar.port import CalendarPort
from butler_kit.time import ManualClock
from tests.support.google_calendar import GoogleDouble
from tests.support.radicale import NEEDS_RADICALE, PASSWORD, USER, Radicale, radicale

CLOCK = ManualClock(datetime(2026, 11, 30, 9, tzinfo=UTC))
BERLIN = ZoneInfo("Europe/Berlin")


def caldav_of(url: str, password: str = PASSWORD) -> CalDav:
    account = CalDavAccount(url, USER, password, BERLIN)
    return CalDav(account, Exchange(timeout_s=10), CLOCK)


def google_of(
    double: GoogleDouble, *, calendar_id: str = "primary", secret: str | None = None
) -> GoogleCalendar:
    exchange = Exchange(timeout_s=10)
    tokens = GoogleTokens(GoogleSecret.of(secret or double.secret), exchange, CLOCK)
    return GoogleCalendar(calendar_id, tokens, exchange, api=double.api)


@pytest.fixture
async def dav(tmp_path: Path) -> AsyncIterator[Radicale]:
    async with radicale(tmp_path) as server:
        yield server


@pytest.fixture
async def google() -> AsyncIterator[GoogleDouble]:
    async with GoogleDouble() as double:
        yield double


@pytest.fixture(params=[pytest.param("caldav", marks=NEEDS_RADICALE), "google"])
async def calendar(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[CalendarPort]:
    port: CalendarPort
    async with AsyncExitStack() as stack:
        if request.param == "caldav":
            port = caldav_of((await stack.enter_async_context(radicale(tmp_path))).url)
        else:
            port = google_of(await stack.enter_async_context(GoogleDouble()))
        stack.push_async_callback(port.aclose)
        yield port
