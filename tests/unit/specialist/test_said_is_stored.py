"""What is stored is what was meant, and what is said is what is stored: random clauses, days, times and todays."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_contracts.language import Language
from butler_kit.wording.language import language_of
from butler_specialist.locale import calendar
from butler_specialist.profiles.reply import Reply
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.money import amount_text
from tests.golden.specialist.conversations import Butlers

LONDON = ZoneInfo("Europe/London")
ENGLISH = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
GERMAN = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
FRENCH = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
SPANISH = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")
LANGUAGES = ("en", "de", "fr", "es")
ON = {"en": ("on ", ENGLISH), "de": ("am ", GERMAN), "fr": ("", FRENCH), "es": ("el ", SPANISH)}
DAYS_AGO = {"en": "{} days ago", "de": "vor {} Tagen", "fr": "il y a {} jours", "es": "hace {} días"}
IN_DAYS = {"en": "in {} days", "de": "in {} Tagen", "fr": "dans {} jours", "es": "en {} días"}
YESTERDAY = {"en": "yesterday", "de": "gestern", "fr": "hier", "es": "ayer"}
TOMORROW = {"en": "tomorrow", "de": "morgen", "fr": "demain", "es": "mañana"}
CLOCK = {"en": ("at {h}:{m:02}", "at {half}"), "de": ("um {h}:{m:02} Uhr", "um {h}.{m:02} Uhr"),
         "fr": ("à {h}h{m:02}", "à {h}:{m:02}"), "es": ("a las {h}:{m:02}", "a las {h}:{m:02}")}  # fmt: skip
PAST = {
    "finance": {"en": "paid {sum} EUR for lamps {when}", "de": "für Lampen {when} {sum} EUR bezahlt",
                "fr": "j'ai payé {sum} EUR pour des lampes {when}", "es": "pagué {sum} EUR por lámparas {when}"},
    "health": {"en": "blood pressure {top}/{low} {when} {at}", "de": "Blutdruck {top}/{low} {when} {at}",
               "fr": "tension {top}/{low} {when} {at}", "es": "tensión {top}/{low} {when} {at}"},
    "relationship": {"en": "met {name} {when} {at}", "de": "meine Freundin {name} {when} {at} besucht",
                     "fr": "j'ai rencontré {name} {when} {at}", "es": "{when} {at} conocí a mi amiga {name}"},
}  # fmt: skip
COMING = {
    "finance": {"en": "the gas bill of {sum} EUR is due {when}", "de": "die Rechnung über {sum} EUR ist {when} fällig",
                "fr": "la facture de {sum} EUR, échéance {when}", "es": "la factura de {sum} EUR vence {when}"},
    "health": {"en": "dentist appointment {when} {at}", "de": "Zahnarzttermin {when} {at}",
               "fr": "rendez-vous chez le dentiste {when} {at}", "es": "cita con el dentista {when} {at}"},
    "relationship": {"en": "dinner with {name} {when} {at}", "de": "Essen mit {name} {when} {at}",
                     "fr": "dîner avec {name} {when} {at}", "es": "cena con {name} {when} {at}"},
    "travel": {"en": "flight {code} from Vienna to Lisbon {when} {at}", "de": "Flug {code} nach Rom {when} {at}",
               "fr": "vol {code} de Paris à Rome {when} {at}", "es": "vuelo {code} desde Madrid a Roma {when} {at}"},
    "general": {"en": "the plumber comes {when} {at}", "de": "der Klempner kommt {when} {at}",
                "fr": "le plombier passe {when} {at}", "es": "el fontanero llega {when} {at}"},
}  # fmt: skip
OFTEN = {
    "en": ("every morning", "every other day", "twice a day", "every 8 hours"),
    "de": ("jeden Morgen", "morgens und abends", "alle 8 Stunden", "dreimal täglich"),
    "fr": ("chaque matin", "tous les soirs", "toutes les 8 heures", "deux fois par jour"),
    "es": ("cada mañana", "todas las noches", "cada 8 horas", "tres veces al día"),
}
MEDICATIONS = ("enalapril", "ramipril", "metformin")
NAMES = ("Clara", "Jonas", "Priya", "Rosa")
CODES = ("OS451", "BA117", "LH2034", "TP1273")


@dataclass(frozen=True)
class Meant:
    """A clause and what it means."""

    text: str
    day: date
    at: time | None
    amount: Decimal | None
    party: str | None


def _weekday(today: date, weekday: int, step: int) -> date:
    return next(day for n in range(8) if (day := today + timedelta(days=n * step)).weekday() == weekday)


@st.composite
def _days(draw: st.DrawFn, today: date, language: str, step: int) -> tuple[str, date]:
    """Words for a day before (`step` -1) or after today, and the day."""
    before, names = ON[language]
    form = draw(st.sampled_from(("weekday", "count", "next to", "iso", "none" if step < 0 else "iso")))
    n = draw(st.integers(2, 20))
    far = today + timedelta(days=n * step)
    if form == "weekday":
        weekday = draw(st.integers(0, 6))
        return f"{before}{names[weekday]}", _weekday(today, weekday, step)
    if form == "count":
        return (DAYS_AGO if step < 0 else IN_DAYS)[language].format(n), far
    if form == "next to":
        return (YESTERDAY if step < 0 else TOMORROW)[language], today + timedelta(days=step)
    return ("", today) if form == "none" else (f"{before}{far.isoformat()}", far)


@st.composite
def _times(draw: st.DrawFn, language: str) -> tuple[str, time | None]:
    at = draw(st.none() | st.builds(time, st.integers(7, 23), st.integers(0, 59)))
    if at is None:
        return "", None
    half = f"{at.hour % 12 or 12}:{at.minute:02} {'am' if at.hour < 12 else 'pm'}"
    form = draw(st.sampled_from(CLOCK[language]))
    return form.format(h=at.hour, m=at.minute, half=half), at


@st.composite
def _clauses(draw: st.DrawFn, profile: str, today: date, number: int) -> Meant:
    language = draw(st.sampled_from(LANGUAGES))
    step = draw(st.sampled_from((-1, 1))) if profile in PAST else 1
    form = (PAST if step < 0 else COMING)[profile][language]
    when, day = draw(_days(today, language, step))
    at_text, at = draw(_times(language)) if "{at}" in form else ("", None)
    if day == today:  # an hour that is over, or still to come, would mean another day
        at_text, at = "", None
    if (
        profile == "relationship" and step > 0 and at is not None and at.hour < 12
    ):  # a dinner is in the evening
        at_text, at = "", None
    amount = Decimal(draw(st.integers(101, 99_999))) / 100
    top = draw(st.integers(100, 160))
    text = form.format(
        sum=amount, when=when, at=at_text, top=top, low=top - 40, name=NAMES[number], code=CODES[number]
    )
    return Meant(
        " ".join(text.split()),
        day,
        at,
        amount if "{sum}" in form else None,
        NAMES[number] if "{name}" in form else None,
    )


@st.composite
def _messages(draw: st.DrawFn, profile: str) -> tuple[date, list[Meant], str]:
    today = draw(st.dates(date(2026, 1, 1), date(2028, 12, 31)))
    meant = [draw(_clauses(profile, today, number)) for number in range(draw(st.integers(1, 3)))]
    texts = [f"{item.text[:1].upper()}{item.text[1:]}" for item in meant]
    join: Callable[[list[str]], str] = draw(
        st.sampled_from(
            (
                lambda parts: "\n".join(f"- {part}" for part in parts),
                lambda parts: "\n".join(f"{n}. {part}" for n, part in enumerate(parts, 1)),
                "\n".join,
                "; ".join,
                lambda parts: ". ".join(parts) + ".",
            )
        )
    )
    return today, meant, join(texts)


async def _told(profile: str, message: str, today: date) -> Reply:
    moment = datetime.combine(today, time(6, 30), LONDON)
    return await Butlers().tell(profile, message, moment)


QUOTED = re.compile(r"„([^“]*)“|“([^”]*)”|«\s?([^»]*?)\s?»")
MONTHS_TOTAL = (
    "This month so far|Spent in|Diesen Monat bisher|Ausgegeben im|Ce mois-ci|Dépensé en|Este mes|Gastado en"
)
DAYS: dict[Language, str] = {
    "en": r"(?:{}), \d+ (?:{}) \d{{4}}",
    "de": r"(?:{}), \d+\. (?:{}) \d{{4}}",
    "fr": r"(?:{}) (?:1er|\d+) (?:{}) \d{{4}}",
    "es": r"(?:{}), \d+ de (?:{}) de \d{{4}}",
}


def _said_days(text: str) -> set[str]:
    """The days of an answer, in whichever language."""
    written = (
        pattern.format("|".join(calendar.WEEKDAYS[language]), "|".join(calendar.MONTHS[language]))
        for language, pattern in DAYS.items()
    )
    return {day for pattern in written for day in re.findall(pattern, text)}


@pytest.mark.parametrize("profile", COMING)
@settings(deadline=None, max_examples=50)
@given(data=st.data())
async def test_every_day_time_sum_and_name_that_is_said_is_stored_and_every_stored_one_was_meant(
    profile: str, data: st.DataObject
) -> None:
    today, meant, message = data.draw(_messages(profile))
    reply = await _told(profile, message, today)
    stored = [(draft.occurred_on, draft.occurred_at) for draft in reply.records]
    assert sorted(map(str, stored)) == sorted(str((item.day, item.at)) for item in meant)
    assert {draft.amount for draft in reply.records} == {item.amount for item in meant}
    if profile == "relationship":
        assert [draft.party for draft in reply.records] == [item.party for item in meant]

    language = language_of(message)
    said = re.sub(rf"{QUOTED.pattern}|(?:{MONTHS_TOTAL}).*", "", reply.text, flags=re.DOTALL)
    assert _said_days(said) == {day_text(draft.occurred_on, language) for draft in reply.records}
    ats = {at.strftime("%H:%M") for _, at in stored if at is not None}
    assert set(re.findall(r"\b\d\d:\d\d\b", said)) == ats
    sums = {amount_text(draft.amount, "EUR", language) for draft in reply.records if draft.amount is not None}
    assert {f"{number} EUR" for number in re.findall(r"\d[\d.,\u202f]*[.,]\d\d\b", said)} == sums
    for quote in QUOTED.findall(reply.text):
        assert "".join(quote) in " ".join(message.split())


@given(
    data=st.data(), language=st.sampled_from(LANGUAGES), today=st.dates(date(2026, 1, 1), date(2028, 12, 31))
)
async def test_how_often_is_neither_a_day_nor_a_time_nor_a_name(
    data: st.DataObject, language: str, today: date
) -> None:
    often, name = data.draw(st.sampled_from(OFTEN[language])), data.draw(st.sampled_from(MEDICATIONS))
    dose = f"{name} {data.draw(st.integers(1, 500))} mg"
    reply = await _told("health", data.draw(st.sampled_from((f"{dose} {often}", f"{often} {dose}"))), today)
    [draft] = reply.records
    assert (draft.title, draft.occurred_on, draft.occurred_at) == (name, today, None)
    assert draft.details["frequency"] == often
    assert f"{dose} {often}" in reply.text
    assert _said_days(reply.text) == {day_text(today, language_of(f"{dose} {often}"))}
