"""Values of health as people say them: read with what stands beside them, and given to nobody by mistake."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_specialist.profiles.health.reading import drafts_of
from butler_specialist.understanding.measurements import find_doses, find_measurements
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.sentence import Sentence
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.rules.router import RulesRouter
from tests.support.cost import costs_less_than
from tests.unit.routing.test_follow_ups import HOUSEHOLD

NOW = datetime(2027, 2, 9, 19, tzinfo=UTC)
ROUTER = RulesRouter()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("baby's got 39.2 again", ("temperature", "39.2", "°C")),
        ("die kleine hat fieber, 38 5, und hustet", ("temperature", "38.5", "°C")),
        ("la petite a 38,7 de fièvre", ("temperature", "38.7", "°C")),
        ("el niño tiene 38 y medio", ("temperature", "38.5", "°C")),
        ("I'm down to 62.4 kilos", ("weight", "62.4", "kg")),
        ("gestern warens 64,5 kilo", ("weight", "64.5", "kg")),
        ("je me suis pesée, 58 kilos 4", ("weight", "58.4", "kg")),
        ("hoy he pesado 78,2", ("weight", "78.2", "")),
        ("my sugar was 7.2 before breakfast", ("glucose", "7.2", "mmol/l")),
        ("Zucker heut morgen 132", ("glucose", "132", "mg/dl")),
        ("slept like five and a half hours", ("sleep", "5.5", "h")),
        ("he dormido 7 horas", ("sleep", "7", "h")),
        ("11k steps today", ("steps", "11000", "")),
        ("8.500 Schritte", ("steps", "8500", "")),
    ],
)
def test_a_value_is_read_with_the_word_beside_it(text: str, said: tuple[str, str, str]) -> None:
    assert [(one.kind, str(one.value), one.unit) for one in find_measurements(text)] == [said]


@pytest.mark.parametrize(
    ("text", "high", "low", "unit"),
    [
        ("mine's 118 over 76", 118, 76, "mmHg"),
        ("ma tension 12/8 ce matin", 12, 8, "cmHg"),
        ("mi madre tiene 14/9 de tensión", 14, 9, "cmHg"),
    ],
)
def test_a_pressure_keeps_the_unit_in_which_it_was_said(text: str, high: int, low: int, unit: str) -> None:
    [found] = find_measurements(text)
    assert (int(found.value), int(found.second or 0), found.unit) == (high, low, unit)


@pytest.mark.parametrize(
    "text",
    ["200 g sugar", "add sugar and 3 eggs", "Zucker 2 Packungen", "we got 39.5 points", "Tom has 38.5 left",
     "the room was 38.2", "the form has 39 pages", "it weighs nothing"],
)  # fmt: skip
def test_a_number_beside_nothing_of_a_body_is_no_value(text: str) -> None:
    assert find_measurements(text) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [("hab ihr nen nurofen saft gegeben 5ml", "nurofen"), ("le he dado dalsy 4 ml", "dalsy")],
)
def test_what_was_given_is_the_medicine_and_not_the_giving(text: str, name: str) -> None:
    assert [dose.medication for dose in find_doses(text)] == [name]


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("baby's got 39.2 again", "baby"),
        ("die Kleine hat 38,5 Fieber", "child"),
        ("mamie a 16/9 de tension", "grandmother"),
        ("a mi madre le han dado 14/9 de tensión", "mother"),
        ("mums blood pressure was 150 over 95", "mother"),
        ("weighed myself, 92.3", None),
    ],
)
def test_a_value_is_whose_it_is_said_to_be(text: str, who: str | None) -> None:
    assert [draft.party for draft in drafts_of(read(text, NOW))] == [who]


def test_a_pressure_behind_somebodys_fever_is_nobodys_until_it_is_said() -> None:
    fever, pressure = drafts_of(read("Leo has a fever, 38.9, BP 130/85", NOW))
    assert (fever.party, fever.code) == ("Leo", "temperature")
    assert (pressure.kind, pressure.party, pressure.quantity) == ("note", None, None)


def test_a_pulse_beside_a_pressure_is_of_the_same_person() -> None:
    parties = {draft.party for draft in drafts_of(read("Opa hat Blutdruck 145 zu 90, Puls 78", NOW))}
    assert parties == {"grandfather"}


@pytest.mark.parametrize(
    "text",
    [
        "heute früh 63,8 auf der waage",
        "was habe ich gestern gewogen?",
        "el niño tiene 38 y medio",
        "le he dado dalsy 4 ml a las siete menos cuarto",
        "je pèse combien ?",
        "à quelle heure le doliprane ?",
        "what medicines am I on?",
        "what was mums blood pressure",
    ],
)
def test_what_is_said_of_a_body_goes_to_health(text: str) -> None:
    assert [call.butler for call in ROUTER.decide(RoutingMessage(text), HOUSEHOLD).calls] == ["health"]


@pytest.mark.parametrize(
    "text", ["got a 39.9 kilos 1 " * 3_000, "slept 7 " * 7_000, "=" * 60_000, "tension 12/" * 5_000]
)
def test_values_of_a_hostile_text_are_read_in_time(text: str) -> None:
    assert costs_less_than(3, lambda: find_measurements(text))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Leo 39.1 and Mia 38.2, both in bed", {"Leo": "39.1", "Mia": "38.2"}),
        ("Lou a 38,9 et Zoé 37,6", {"Lou": "38.9", "Zoé": "37.6"}),
        ("oma 37,9 opa 36,8 gemessen", {"grandmother": "37.9", "grandfather": "36.8"}),
        ("oh no, Mia threw up twice tonight and she's 38.4", {"Mia": "38.4"}),
        ("gestern wog Leo 21,4 kg", {"Leo": "21.4"}),
        ("measured Ama today, 1m12", {"Ama": "1.12"}),
        ("Fieber 38,4 bei Leo", {"Leo": "38.4"}),
    ],
)
def test_each_value_is_of_the_person_named_beside_it(text: str, values: dict[str, str]) -> None:
    assert {draft.party: str(draft.quantity) for draft in drafts_of(read(text, NOW))} == values


def test_two_patients_of_one_message_keep_their_own_pressures() -> None:
    drafts = drafts_of(read("mrs dubois 142/88 pulse 76, mr janssens 128/79 pulse 64", NOW))
    assert [(draft.party, int(draft.quantity or 0)) for draft in drafts] == [
        ("Mrs Dubois", 142), ("Mrs Dubois", 76), ("Mr Janssens", 128), ("Mr Janssens", 64),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "amount"),
    [
        ("took ibuprofen 400", "ibuprofen", "400"),
        ("mi padre toma enalapril de 20 por la mañana", "enalapril", "20"),
    ],
)
def test_a_medicine_with_the_number_of_its_packet_is_a_dose(text: str, name: str, amount: str) -> None:
    assert [(dose.medication, str(dose.amount), dose.unit) for dose in find_doses(text)] == [
        (name, amount, "")
    ]


@pytest.mark.parametrize(
    "text", ["paracetamol 2 boxes", "ibuprofen 3 times a day", "Lidl 38,9 und Aldi 40,20 Euro"]
)
def test_what_counts_something_else_is_neither_dose_nor_heat(text: str) -> None:
    assert not find_doses(text)
    assert not find_measurements(text)


@pytest.mark.parametrize(
    "text",
    [
        "esta noche Leo tuvo fiebre, 39",
        "gestern wog Leo 21,4 kg",
        "Lou a 38,9 et Zoé 37,6",
        "whats mias temp",
        "how heavy is leo?",
        "Zucker heut morgen 132",
    ],
)
def test_what_is_told_and_asked_of_a_body_goes_to_health(text: str) -> None:
    assert [call.butler for call in ROUTER.decide(RoutingMessage(text), HOUSEHOLD).calls] == ["health"]


def test_a_second_medicine_without_a_number_is_kept_beside_the_first() -> None:
    drafts = drafts_of(read("mi padre toma enalapril de 20 por la mañana y omeprazol antes de comer", NOW))
    assert [(draft.title, draft.party) for draft in drafts] == [
        ("enalapril", "father"),
        ("omeprazol", "father"),
    ]


NAMES_OF_VALUES = (
    "Zucker", "Blutzucker", "mein Zucker", "Fieber", "Temperatur", "Puls", "blood sugar", "my sugar", "fever",
    "glycémie", "fièvre", "azúcar", "fiebre",
)  # fmt: skip
DAYS_AS_WRITTEN = (
    "am {0}.{1}.", "seit dem {0}.{1}.", "vom {0}.{1}. an", "{0}.{1}. um 9:15", "am {0}. Dezember", "on {0} December",
    "on {0}/{1}", "since December {0}", "le {0} décembre", "le {0}.{1}", "desde el {0} de diciembre",
)  # fmt: skip


@pytest.mark.parametrize("named", NAMES_OF_VALUES)
@pytest.mark.parametrize("written", DAYS_AS_WRITTEN)
def test_a_day_beside_the_name_of_a_value_is_no_value(named: str, written: str) -> None:
    for day, month in ((8, 12), (31, 10), (30, 1), (3, 3)):
        sentence = Sentence(f"der Termin wegen {named} {written.format(day, month)}", NOW.date())
        assert sentence.measurements == (), sentence.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Zucker am 8.12. war 7,2", "7.2"),
        ("Zucker 7.2.", "7.2"),
        ("blood sugar on 8 December 7.4", "7.4"),
        ("Fieber seit dem 31.10., jetzt 38,4", "38.4"),
        ("Weight 82.5 kg on the 3rd", "82.5"),
    ],
)
def test_a_value_beside_a_day_is_still_read(text: str, said: str) -> None:
    assert [str(one.value) for one in Sentence(text, NOW.date()).measurements] == [said]


def test_an_appointment_because_of_a_value_notes_no_value() -> None:
    text = "und der Augenarzt wegen dem Zucker am 8.12. viertel nach neun"
    assert all(draft.kind != "measurement" for draft in drafts_of(read(text, NOW)))
