"""Fixtures of the specialist's tests on a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler_kit.calendar.conflicts import DayHours
from butler_kit.config import CalendarConfig
from butler_kit.time import SystemClock
from butler_messenger.calendar.desk import CalendarDesk
from tests.integration.specialist.household import Place, household
from tests.support.calendar_port import MemoryCalendar
from tests.support.database import Provision


@pytest.fixture
async def place(
    provisioned: Provision, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Place]:
    """A finance specialist's household; `@pytest.mark.parametrize("place", ["health"], indirect=True)` for another."""
    async with household(provisioned, tmp_path, getattr(request, "param", "finance")) as made:
        yield made


@pytest.fixture
def port(place: Place) -> MemoryCalendar:
    """The household's calendar, as a Messenger with an account has it."""
    found = MemoryCalendar()
    place.switchboard.calendar = CalendarDesk(found, CalendarConfig(), DayHours(), SystemClock())
    return found
