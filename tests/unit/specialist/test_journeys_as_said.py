"""Journeys as people tell them and ask for them: both legs, a code, a seat, when they are back."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, date, datetime, time

import pytest

from butler_specialist.profiles.travel.itinerary import rides
from butler_specialist.profiles.travel.profile import TravelProfile
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.reading import read
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.rules.router import RulesRouter
from tests.unit.routing.test_follow_ups import HOUSEHOLD

NOW = datetime(2027, 2, 9, 19, tzinfo=UTC)
TRAVEL = TravelProfile()
ROUTER = RulesRouter()


def kept(*texts: str) -> list[Record]:
    drafts = [draft for text in texts for draft in TRAVEL.compose(read(text, NOW), household=True)]
    return [
        Record(
            **{item.name: getattr(draft, item.name) for item in fields(RecordDraft)},
            seq=place,
            channel="telegram",
            sender="7",
        )
        for place, draft in enumerate(drafts)
    ]


def asked(question: str, *told: str) -> str:
    return TRAVEL.answer(read(question, NOW), kept(*told))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("vuelo a Sevilla el viernes 19 a las 18:50", date(2027, 2, 19)),
        ("Friday 19 at 7pm", date(2027, 2, 19)),
        ("Freitag, den 5.", date(2027, 3, 5)),
        ("Friday 7 pm", date(2027, 2, 12)),
        ("vendredi 12h", date(2027, 2, 12)),
    ],
)
def test_a_weekday_with_its_number_is_the_day_on_which_both_agree(text: str, day: date) -> None:
    assert [found.on("future") for found in find_days(text, NOW.date())] == [day]


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("flying to accra on 3 april at 22:40, back on the 17th at 6am", date(2027, 4, 17)),
        ("Wir fliegen am 26. März um 9:15 nach Palma, zurück am 4. April um 19 Uhr", date(2027, 4, 4)),
    ],
)
def test_both_legs_are_kept_and_nobody_is_back_before_they_left(text: str, home: date) -> None:
    out, back = kept(text)
    assert "back" not in out.details
    assert (back.occurred_on, back.details["back"], back.place) == (home, True, out.details["to"])


def test_when_we_are_back_and_when_we_leave_are_two_answers() -> None:
    told = "flying to Accra on 3 April at 22:40, back on 17 April at 6am"
    assert asked("when are we back?", told) == "Back on Saturday, 17 April 2027 at 06:00."
    leaving = asked("when do we leave?", told)
    assert "3 April 2027 at 22:40" in leaving
    assert "17 April" not in leaving


def test_a_stay_until_a_weekday_ends_behind_its_first_day() -> None:
    told = "we're staying at the Hotel Lutetia in Paris from Fri 5 March to Sunday"
    assert asked("when do we check out?", told) == "Until Sunday, 7 March 2027 (Hotel Lutetia)."


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what's the booking code?", "QXR7TB"),
        ("which seat have I got?", "34"),
        ("welcher Platz?", "34"),
        ("which coach?", "9"),
    ],
)
def test_a_single_thing_of_a_journey_is_found_in_the_words_of_it(question: str, value: str) -> None:
    assert asked(question, "booking code for the eurostar is QXR7TB, coach 9 seat 34").startswith(
        f"{value}: "
    )


def test_what_was_not_told_of_a_journey_is_said_to_be_unknown() -> None:
    said = asked("which gate?", "LO236 to Warsaw tomorrow 14:10, seat 12A")
    assert said == "Nothing that I have noted of your journeys says that."


@pytest.mark.parametrize(
    "text",
    [
        "when are we back?",
        "wann sind wir zurück?",
        "on rentre quand ?",
        "¿cuándo vuelvo?",
        "which seat have I got?",
        "wie war die buchungsnummer der ferienwohnung?",
        "¿cuál era el localizador?",
    ],
)
def test_what_is_asked_of_a_journey_goes_to_travel(text: str) -> None:
    assert [call.butler for call in ROUTER.decide(RoutingMessage(text), HOUSEHOLD).calls] == ["travel"]


def test_an_hour_beside_a_train_keeps_its_day() -> None:
    [draft] = kept("TGV pour Lyon samedi à 8h04 voiture 12 place 56")
    assert (draft.kind, draft.occurred_on, draft.occurred_at) == ("train", date(2027, 2, 13), time(8, 4))


@pytest.mark.parametrize(
    ("text", "there"),
    [
        (
            "flying brussels-lisbon thursday 7.05 then lisbon-accra 11.40 same day",
            [("Lisbon", date(2027, 2, 11), time(7, 5)), ("Accra", date(2027, 2, 11), time(11, 40))],
        ),
        (
            "el sábado vuelo a Madrid 6:40 y luego a Tenerife 10:15",
            [("Madrid", date(2027, 2, 13), time(6, 40)), ("Tenerife", date(2027, 2, 13), time(10, 15))],
        ),
        (
            "ICE 14 ab Brüssel 12.25 nach Köln am Sonntag, weiter mit IC 2023 um 14.53 nach Bremen",
            [("Köln", date(2027, 2, 14), time(12, 25)), ("Bremen", date(2027, 2, 14), time(14, 53))],
        ),
    ],
)
def test_each_leg_of_a_journey_has_its_own_hour(text: str, there: list[tuple[str, date, time]]) -> None:
    rides = [(row.details["to"], row.occurred_on, row.occurred_at) for row in kept(text)]
    assert rides == there


def test_only_the_leg_to_the_place_that_is_asked_for_is_said() -> None:
    told = "el sábado vuelo a Madrid 6:40 y luego a Tenerife 10:15"
    answer = asked("¿a qué hora sale el de Tenerife?", told)
    assert "10:15" in answer
    assert "06:40" not in answer


@pytest.mark.parametrize(
    ("train", "delay", "question", "said"),
    [
        (
            "Zug nach Wien am Freitag um 9:10",
            "Der Zug nach Wien am Freitag hat 40 Minuten Verspätung",
            "Wann fährt mein Zug?",
            "verspätet",
        ),
        (
            "RJ 65 nach Wien am Freitag um 9:10",
            "Der Zug nach Wien am Freitag hat Verspätung",
            "Wann fährt mein Zug?",
            "verspätet",
        ),
        (
            "Train pour Vienne vendredi à 9h10",
            "Le train pour Vienne vendredi a 40 minutes de retard",
            "Quand part mon train ?",
            "retard",
        ),
    ],
)
def test_a_delay_without_a_number_is_that_of_the_train_there(
    train: str, delay: str, question: str, said: str
) -> None:
    answer = asked(question, train, delay)
    assert said in answer
    assert "09:10" in answer
    assert [row.kind for row in kept(train, delay)] == ["train", "delay"]
    assert len(rides(kept(train, delay))) == 1


def test_a_delay_of_no_known_journey_makes_none() -> None:
    assert rides(kept("Der Zug nach Wien am Freitag hat Verspätung")) == []
    train, delay = "Zug nach Wien am Freitag um 9:10", "Der Zug nach Graz am Freitag hat Verspätung"
    assert [ride.notice for ride in rides(kept(train, delay))] == [None]


def test_a_number_of_a_train_is_no_flight() -> None:
    assert [row.kind for row in kept("IC 2023 um 14:53 nach Bremen am Sonntag")] == ["train"]


def test_a_note_of_a_journey_answers_where_no_ride_does() -> None:
    assert "18:47" in asked("papa arrive à quelle heure ?", "papa arrive vendredi à 18h47 gare du midi")


def test_a_hotel_is_called_as_it_was_told() -> None:
    [stay] = kept("hôtel des Alpes réservé du 20 au 27 février à Annecy")
    assert stay.title == "hôtel des Alpes"


def test_the_code_of_the_key_is_kept_with_the_stay_and_said() -> None:
    told = "airbnb in porto 3-8 march, code for the key box is 4410"
    [stay] = kept(told)
    assert (stay.place, stay.details["code"]) == ("Porto", "4410")
    assert "4410" in asked("whats the key box code in porto", told)


def test_a_departure_below_a_train_is_its_hour() -> None:
    told = "TGV 9324 le vendredi 19 février 2027\nDépart 10h13\nMontant total : 58,00 €"
    assert [(row.code, row.occurred_at) for row in kept(told)] == [("TGV 9324", time(10, 13))]
