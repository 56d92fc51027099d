"""A day, an hour or a sum that a message denies, gives up or takes back is not kept; what stands instead is."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.general.profile import GeneralProfile
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import read

NOW = datetime(2027, 2, 9, 19, tzinfo=ZoneInfo("Europe/Brussels"))  # a Tuesday evening
GENERAL, FINANCE = GeneralProfile(), FinanceProfile()


def kept(said: str) -> list[tuple[date, time | None]]:
    drafts = GENERAL.compose(read(said, NOW), household=True)
    return [(draft.occurred_on, draft.occurred_at) for draft in drafts]


def paid(said: str) -> list[RecordDraft]:
    return list(FINANCE.compose(read(said, NOW, currency="EUR"), household=True))


@pytest.mark.parametrize(
    ("said", "day", "hour"),
    [
        ("dinner not on friday but on saturday at 20:00", 13, time(20)),
        ("the party is saturday, not friday", 13, None),
        ("hairdresser saturday 11:00, not 10:30", 13, time(11)),
        ("the choir meets on thursday instead of friday", 11, None),
        ("training ist nicht am Mittwoch, sondern am Freitag um 13 Uhr", 12, time(13)),
        ("der Monteur kommt nicht wie besprochen am Mittwoch, sondern am Freitag", 12, None),
        ("Chorprobe am Samstag statt am Freitag", 13, None),
        ("coiffeur samedi 11h, pas 10h30 finalement", 13, time(11)),
        ("la réunion est jeudi au lieu de vendredi", 11, None),
        ("reunión el lunes, no el martes, a las 10:00", 15, time(10)),
        ("la cena es el sábado en vez del viernes", 13, None),
    ],
)
def test_what_is_denied_is_not_the_day(said: str, day: int, hour: time | None) -> None:
    assert kept(said) == [(date(2027, 2, day), hour)]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("tomorrow I have a meeting with the accountant no wait Thursday at 15:00", 11),
        ("meeting friday I mean saturday at 15:00", 13),
        ("morgen Besprechung ach nein am Donnerstag um 15:00 Uhr", 11),
        ("demain réunion non pardon jeudi à 15:00", 11),
        ("mañana reunión no espera el jueves a las 15:00", 11),
    ],
)
def test_what_is_taken_back_in_one_breath_is_not_kept(said: str, day: int) -> None:
    assert kept(said) == [(date(2027, 2, day), time(15))]


def test_a_sum_that_is_taken_back_is_not_counted() -> None:
    assert [draft.amount for draft in paid("lunch was 18 euros sorry 19.50 euros")] == [Decimal("19.50")]
    assert [draft.amount for draft in paid("Das Essen war 18 Euro, ich meine 19 Euro")][-1:] == [
        Decimal("19")
    ]


@pytest.mark.parametrize(
    ("said", "day", "hour"),
    [
        ("the match on sunday got pushed to 14:00", 14, time(14)),
        ("the lesson moved from thursday 15:00 to friday 16:00", 12, time(16)),
        ("the eye test, originally on the 18th, is now on the 25th", 25, None),
        (
            "der Termin, der am 18. Februar sein sollte, ist auf den 25. Februar um 11:15 Uhr verlegt",
            25,
            time(11, 15),
        ),
        ("le cours est repoussé du jeudi au vendredi à 16h", 12, time(16)),
        ("la revisión, prevista para el día 12, se ha retrasado hasta el 26 a las 10:20", 26, time(10, 20)),
    ],
)
def test_of_what_moves_the_day_is_the_new_one(said: str, day: int, hour: time | None) -> None:
    assert kept(said) == [(date(2027, 2, day), hour)]


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("dentist not before friday", [12]),
        ("sorry, the meeting is on thursday", [11]),
        ("we eat on friday and go on saturday", [12]),
        ("Wir essen am Freitag, nicht wahr", [12]),
        ("dîner vendredi, pas de viande", [12]),
        ("cena el viernes, no traigas nada", [12]),
        ("the party is on saturday, I mean it", [13]),
    ],
)
def test_a_no_beside_something_else_denies_no_day(said: str, days: list[int]) -> None:
    assert [day for day, _ in kept(said)][: len(days)] == [date(2027, 2, day) for day in days]


def test_who_are_getting_married_do_so_in_the_coming_june() -> None:
    said = "Anna and Paul are getting married on the 5th of june, not july like I said to mum"
    assert kept(said) == [(date(2027, 6, 5), None)]
