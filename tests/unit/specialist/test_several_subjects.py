"""Of a message with several subjects each sum, value, day and person's fact is in a record or quoted in an answer."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from butler_kit.wording.folding import fold
from butler_specialist.store.model import Record
from butler_specialist.understanding.prose import own_prose
from tests.support.talks import Said, Talks


@dataclass(frozen=True)
class Fact:
    """A clause, and what a record of it has; without it, words that an answer has to quote."""

    text: str
    value: str = ""
    day: str = ""
    at: str = ""
    words: str = ""

    def is_kept(self, said: Said) -> bool:
        if any(self._is(row) for row in said.records):
            return True
        return fold(self.text.rstrip(".")) in fold(said.text)

    def _is(self, row: Record) -> bool:
        numbers = {f"{number.normalize():f}" for number in (row.amount, row.quantity) if number is not None}
        return (
            (not self.value or self.value in numbers)
            and (not self.day or row.occurred_on.isoformat() == self.day)
            and (not self.at or (row.occurred_at is not None and row.occurred_at.isoformat()[:5] == self.at))
            and all(word in fold(f"{row.title} {row.party} {row.text}") for word in fold(self.words).split())
        )


ENGLISH = (
    Fact("Paid 35.50 EUR for the taxi", value="35.5"),
    Fact("I spent 12 EUR on parking", value="12"),
    Fact("BP 130/85", value="130"),
    Fact("Leo has a fever, 38.9", value="38.9", words="leo"),
    Fact("I weigh 84.5 kg", value="84.5"),
    Fact("Clara's birthday is on 17 January", day="2027-01-17", words="clara"),
    Fact("Dentist appointment on Thursday at 15:30", day="2026-11-26", at="15:30"),
    Fact("the school trip is on 3 December", day="2026-12-03"),
    Fact("My flight BA2490 to Lisbon leaves on 14 March 2027 at 7:05", day="2027-03-14", at="07:05"),
    Fact("Add coffee to the shopping list", words="coffee"),
    Fact("Met Jonas for coffee today", words="jonas"),
    Fact("the electricity bill of 89.90 EUR is due on 5 December", value="89.9", day="2026-12-05"),
)
GERMAN = (
    Fact("Habe heute 20 € für Benzin bezahlt", value="20"),
    Fact("Blutdruck 130/85", value="130"),
    Fact("Leo hat 38,5 Fieber", value="38.5", words="leo"),
    Fact("Mama hat am 3. April Geburtstag", day="2027-04-03"),
    Fact("Zahnarzt am Donnerstag um 15:30", day="2026-11-26", at="15:30"),
)
FRENCH = (
    Fact("J'ai payé 40,50 € au supermarché", value="40.5"),
    Fact("Léo a de la fièvre, 38,9", value="38.9"),
    Fact("l'anniversaire de Clara est le 3 mai", day="2027-05-03", words="clara"),
)
SPANISH = (
    Fact("Pagué 15 € por el taxi", value="15"),
    Fact("Leo tiene fiebre, 38,9", value="38.9", words="leo"),
    Fact("la cita con el dentista es el martes a las 10:00", day="2026-11-24", at="10:00"),
)
JOINTS = (". ", "\n", ", and ", ", ", "; ", ", then ", " and then ")
OPENING = (". ", "\n")


def lost(facts: tuple[Fact, ...], joint: str) -> list[str]:
    opened = [f"{fact.text[0].upper()}{fact.text[1:]}" if joint in OPENING else fact.text for fact in facts]
    said = Talks().say(f"{joint.join(opened)}.")
    return [fact.text for fact in facts if not fact.is_kept(said)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    facts=st.sampled_from((ENGLISH, GERMAN, FRENCH, SPANISH)).flatmap(
        lambda known: st.lists(st.sampled_from(known), min_size=1, max_size=5, unique=True)
    ),
    joint=st.sampled_from(JOINTS),
)
@example(facts=[ENGLISH[1], ENGLISH[2], ENGLISH[9]], joint=", ")
@example(facts=[ENGLISH[6], ENGLISH[8], ENGLISH[5]], joint=", and ")
@example(facts=[ENGLISH[0], ENGLISH[2], ENGLISH[7], ENGLISH[3]], joint=", and ")
@example(facts=[ENGLISH[4], ENGLISH[7], ENGLISH[2]], joint=", ")
@example(facts=[ENGLISH[3], ENGLISH[5], ENGLISH[2]], joint=", ")
@example(facts=[ENGLISH[1], ENGLISH[7], ENGLISH[3], ENGLISH[9], ENGLISH[2]], joint=". ")
@example(facts=[GERMAN[3], GERMAN[2], GERMAN[4], GERMAN[0], GERMAN[1]], joint=", ")
@example(facts=[ENGLISH[8], ENGLISH[2], ENGLISH[7], ENGLISH[5], ENGLISH[1]], joint="\n")
def test_nothing_of_a_message_of_several_facts_is_lost(facts: list[Fact], joint: str):
    assert lost(tuple(facts), joint) == []


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Paid 12 EUR for parking, BP 130/85 and add milk to the shopping list", "“BP 130/85”"),
        ("Met Jonas for coffee today, he's changing jobs", "“he's changing jobs”"),
        ("paid 20 EUR for petrol then BP 130/85", "“BP 130/85”"),
        ("j'ai payé 32 € de courses puis tension 122/79", "« tension 122/79 »"),
        (
            "Leo's shoe size is 31, Clara is allergic to nuts, and the wifi is called Garden",
            "“Leo's shoe size is 31”",
        ),
        ("it's Leo's birthday on Saturday, buy a cake and balloons", "“buy a cake and balloons”"),
        ("cancel the dentist and add bread to the shopping list", "“cancel the dentist”"),
        ("My mother comes to visit on 12 December, book a hotel", "Not done: “book a hotel”"),
        ("paid 200 EUR at Rewe, and 35 for the vet", "35.00 EUR"),
        (
            "Flight BA117 to Rome on 12 December at 8:25, dentist on Friday at 9:00",
            "dentist on Friday at 9:00",
        ),
    ],
)
def test_what_no_fact_was_taken_from_is_quoted(text: str, quoted: str):
    assert quoted in Talks().say(text).text


@pytest.mark.parametrize(
    "text",
    [
        "BP 130/85, and the school trip is on 3 December, and Leo has a fever, 38.9",
        "I weigh 84.5 kg, and the school trip is on 3 December, and BP 130/85",
        "Leo has a fever, 38.9, Clara's birthday is on 17 January",
    ],
)
def test_a_value_is_not_of_the_day_on_which_something_will_be(text: str):
    values = [row for row in Talks().say(text).records if row.kind == "measurement"]
    assert values
    assert all(row.occurred_on.isoformat() == "2026-11-22" for row in values)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("My flight BA2490 to Lisbon leaves on 14 March 2027 at 7:05\nBP 130/85\nThe trip is on 3 May", 3),
        (f"We will be in Lisbon with {'all ' * 9}of the\nfamily\nand then\ndrive home", 3),
        (f"We will be in Lisbon with {'all ' * 12}of the\nfamily of my aunt and of hers", 1),
    ],
)
def test_a_line_goes_on_in_the_next_one_only_where_its_first_word_had_no_room(text: str, sentences: int):
    assert len(own_prose(text).sentences) == sentences


def test_a_sentence_in_small_letters_gives_its_day_to_nothing_before_it():
    said = Talks().say("Paid 35 EUR for the taxi. the school trip is on 3 December")
    assert [row.occurred_on.isoformat() for row in said.records if row.kind == "expense"] == ["2026-11-22"]
    assert "the school trip is on 3 December" in said.text


@pytest.mark.parametrize(
    "text",
    [
        "took approx. three kg",
        "saw Dr. mara at no. 5 in St. james",
        "fruta, p.ej. manzanas",
        "Obst, z. B. drei Bananen",
        "am 3. dezember zum Arzt",
        "paid 20 EUR for... the taxi",
        "at 5 p.m. the vet",
        "see you on Fri. at 5",
    ],
)
def test_a_sentence_does_not_end_with_an_abbreviation_or_an_ordinal(text: str):
    assert own_prose(text).sentences == (text,)


def test_the_catch_all_gets_its_own_part_and_repeats_nothing_of_the_others():
    said = Talks().say("Paid 35 EUR for Leo's swimming course. Also add goggles to the shopping list")
    assert said.butlers == {"finance", "general"}
    assert "35" not in said.answers["general"]
    assert sorted(row.kind for row in said.records) == ["expense", "list_item"]


def test_each_bill_is_due_on_the_day_of_its_own_clause():
    said = Talks().say(
        "the electricity bill is 89.90, due on 5 December, the water bill 45 EUR is due on 12 December"
    )
    bills = {str(row.amount): row.occurred_on.isoformat() for row in said.records if row.kind == "bill"}
    assert bills == {"89.90": "2026-12-05", "45": "2026-12-12"}


@pytest.mark.parametrize(
    ("text", "born"),
    [
        ("Clara's birthday is on 3 May and Tom's is on 4 June", {"Clara": "05-03", "Tom": "06-04"}),
        ("Mamas Geburtstag ist am 3. April und Papa am 5. Juni", {"Mama": "04-03", "Papa": "06-05"}),
        (
            "Oma hat am 5. Mai Geburtstag und Opa am 7. Juni, wir brauchen Milch",
            {"Oma": "05-05", "Opa": "06-07"},
        ),
        (
            "L'anniversaire de Clara est le 3 mai et celui de Tom le 4 juin",
            {"Clara": "05-03", "Tom": "06-04"},
        ),
        (
            "El cumpleaños de Clara es el 3 de mayo y el de Tom es el 4 de junio",
            {"Clara": "05-03", "Tom": "06-04"},
        ),
    ],
)
def test_each_birthday_is_that_of_whoever_is_named_beside_its_day(text: str, born: dict[str, str]):
    said = Talks().say(text)
    kept = {str(row.party): f"{row.occurred_on:%m-%d}" for row in said.records if row.kind == "birthday"}
    assert kept == born


def test_a_day_beside_a_birthday_is_nobody_s():
    said = Talks().say("Clara's birthday is on 3 May and the party is on 8 May at 15:00")
    assert [row.party for row in said.records if row.kind == "birthday"] == ["Clara"]


def test_who_comes_on_which_day_is_a_note_of_that_day_about_them():
    said = Talks().say("Tom is coming on Friday at 18:00 and Clara is coming on Saturday")
    assert [(row.party, row.occurred_on.isoformat()) for row in said.records] == [
        ("Tom", "2026-11-27"),
        ("Clara", "2026-11-28"),
    ]
    assert all(name in said.text for name in ("Tom", "Clara"))


def test_an_appointment_beside_another_day_is_quoted_without_it():
    said = Talks().say(
        "Leo has a dentist appointment on Thursday at 15:30 and Clara a haircut on Friday at 10:00"
    )
    assert [row.text for row in said.records if row.kind == "appointment"] == [
        "Leo has a dentist appointment on Thursday at 15:30"
    ]
    assert [row.occurred_on.isoformat() for row in said.records] == ["2026-11-26", "2026-11-27"]


def test_the_day_of_it_is_to_come():
    [row] = Talks().say("I have a dentist appointment. It's on Thursday at 10:00").records
    assert row.occurred_on.isoformat() == "2026-11-26"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("bought 3 kg of potatoes and paid 4.50 EUR", "potatoes"),
        ("2 kg Kartoffeln 4,50 €", "Kartoffeln"),
        ("I spent 12 EUR on lunch but Clara was not there", "lunch"),
        ("Léo dort, puis j'ai payé 12 € à la pharmacie", "pharmacie"),
    ],
)
def test_what_a_sum_is_for_is_named_without_its_measure_and_its_joint(text: str, title: str):
    assert [row.title for row in Talks().say(text).records if row.kind == "expense"] == [title]


@pytest.mark.parametrize(
    "text",
    [
        "Zahnarzt am Donnerstag um 15:30, dann 20 € für Benzin bezahlt, und Leo hat 38,5 Fieber",
        "Dentist appointment on Thursday at 15:30 and then paid 20 EUR for petrol and then Leo has a fever, 38.9",
    ],
)
def test_what_another_butler_s_part_divides_is_not_read_as_one(text: str):
    said = Talks().say(text)
    [value] = [row for row in said.records if row.kind == "measurement"]
    [visit] = [row for row in said.records if row.kind == "appointment"]
    assert (value.party, value.occurred_on.isoformat(), value.occurred_at) == ("Leo", "2026-11-22", None)
    assert (visit.party, visit.occurred_on.isoformat()) == (None, "2026-11-26")


def test_a_value_has_no_day_of_a_birthday_beside_it():
    said = Talks().say("Add coffee to the shopping list, Clara's birthday is on 17 January, I weigh 84.5 kg")
    assert all(row.occurred_on.isoformat() == "2026-11-22" for row in said.records if "84.5" in row.text[:15])
