"""Whatever is measured of whomever on whichever day is stored, and said, of that person, value and day."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from butler_contracts.language import Language
from butler_specialist.understanding.dates import day_text
from tests.golden.specialist.conversations import Butlers

NOW = datetime(2027, 2, 9, 19, tzinfo=ZoneInfo("Europe/Berlin"))
NAMES = ("Leo", "Mia", "Zoé", "Kofi", "Ella", "Jonas")
DAYS = {
    "en": ("today", "yesterday", "{} days ago"),
    "de": ("heute", "gestern", "vor {} Tagen"),
    "fr": ("aujourd'hui", "hier", "il y a {} jours"),
    "es": ("hoy", "ayer", "hace {} días"),
}
TOLD = {
    "temperature": {
        "en": "{day} {who} had a fever, {value}", "de": "{day} hatte {who} Fieber, {value}",
        "fr": "{day} {who} avait {value} de fièvre", "es": "{day} {who} tuvo fiebre, {value}",
    },
    "weight": {
        "en": "{day} {who} weighed {value} kg", "de": "{day} wog {who} {value} kg",
        "fr": "{day} {who} pesait {value} kg", "es": "{day} {who} pesaba {value} kg",
    },
}  # fmt: skip
ASKED = {
    "temperature": {
        "en": "what was {who}'s temperature?", "de": "wie hoch war die Temperatur von {who}?",
        "fr": "quelle était la température de {who} ?", "es": "¿cuál era la temperatura de {who}?",
    },
    "weight": {
        "en": "how much does {who} weigh?", "de": "wie viel wiegt {who}?",
        "fr": "combien pèse {who} ?", "es": "¿cuánto pesa {who}?",
    },
}  # fmt: skip
RANGES = {"temperature": (361, 409), "weight": (35, 999)}
LANGUAGES: tuple[Language, ...] = ("en", "de", "fr", "es")


def _day(language: Language, ago: int) -> str:
    named = DAYS[language]
    return named[ago] if ago < 2 else named[2].format(ago)


def _spelt(tenths: int, language: Language) -> str:
    return f"{Decimal(tenths) / 10}".replace(".", "." if language == "en" else ",")


@settings(max_examples=60, deadline=None)
@given(data=st.data(), language=st.sampled_from(LANGUAGES), code=st.sampled_from(sorted(TOLD)))
def test_a_value_is_stored_and_said_of_the_person_and_day_that_were_told(
    data: st.DataObject, language: Language, code: str
) -> None:
    # In Spanish "Ella" is "she" as well.
    known = [name for name in NAMES if (name, language) != ("Ella", "es")]
    names = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    tenths = st.integers(*RANGES[code]).filter(lambda value: value % 10)
    values = {name: data.draw(tenths) for name in names}
    days = {name: data.draw(st.integers(0, 9)) for name in names}
    butlers = Butlers(currency="EUR")

    async def said(text: str) -> str:
        return (await butlers.tell("health", text, NOW)).text

    for name in names:
        told = TOLD[code][language].format(
            who=name, value=_spelt(values[name], language), day=_day(language, days[name])
        )
        asyncio.run(said(told))
    assert {
        (row.party, row.code, row.quantity, row.occurred_on) for row in butlers.records["health"].rows
    } == {(name, code, Decimal(values[name]) / 10, NOW.date() - timedelta(days=days[name])) for name in names}
    for name in names:
        answer = asyncio.run(said(ASKED[code][language].format(who=name)))
        assert _spelt(values[name], language) in answer
        assert name in answer
        assert day_text(NOW.date() - timedelta(days=days[name]), language) in answer
