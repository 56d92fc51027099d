"""What a butler has for the digest of a day: what it would answer to "what's on today?", in four languages."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.day import DayAsked, DayTold
from butler_contracts.language import Language
from butler_specialist.accept.day import Day
from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.store.model import RecordDraft
from butler_specialist.store.visibility import ALL_HOUSEHOLD
from tests.golden.specialist.conversations import MemoryRecords, MemoryReminders

BERLIN = ZoneInfo("Europe/Berlin")
ANNA = UUID(int=1)
LATE_IN_UTC = datetime(2026, 11, 26, 23, 30, tzinfo=UTC)
"""Already the 27th in Berlin."""
TODAY = date(2026, 11, 27)
DENTIST = RecordDraft(kind="appointment", occurred_on=TODAY, text="dentist", occurred_at=time(10))
YESTERDAY = RecordDraft(kind="appointment", occurred_on=date(2026, 11, 26), text="physio")


async def told(butler: str, language: Language, *kept: RecordDraft) -> DayTold:
    records = MemoryRecords()
    records.add(kept, sender="1001")
    day = Day(load_profile(butler), records, MemoryReminders(), lambda _: BERLIN, ALL_HOUSEHOLD)
    return await day.told(DayAsked(contact_id=ANNA, at=LATE_IN_UTC, language=language))


HEADINGS: dict[Language, str] = {
    "en": "This is on today:",
    "de": "Das steht heute an:",
    "fr": "Au programme aujourd'hui :",
    "es": "Esto hay hoy:",
}
WEEKDAYS: dict[Language, str] = {"en": "Friday", "de": "Freitag", "fr": "vendredi", "es": "viernes"}


@pytest.mark.parametrize("language", HEADINGS)
async def test_the_day_is_told_in_the_language_that_is_asked_for_by_the_household_s_clock(
    language: Language,
) -> None:
    said = await told("health", language, DENTIST, YESTERDAY)
    assert "dentist" in said.text
    assert WEEKDAYS[language] in said.text
    assert "physio" not in said.text
    assert said.heading == HEADINGS[language]
    assert "{names}" in said.left_out


@pytest.mark.parametrize("butler", PROFILES)
@pytest.mark.parametrize("language", HEADINGS)
async def test_who_has_nothing_says_nothing(butler: str, language: Language) -> None:
    assert (await told(butler, language)).text == ""
