"""What is read from sentences: amounts, days, measurements, lists, people, journeys. EN, DE, FR, ES."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_kit.wording.folding import fold, one_of, words
from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.general.first_contact import small_talk
from butler_specialist.understanding.dates import day_text, find_days
from butler_specialist.understanding.lists import list_changes
from butler_specialist.understanding.measurements import find_doses, find_measurements
from butler_specialist.understanding.money import find_amounts, number_of, total_text
from butler_specialist.understanding.people import person_in
from butler_specialist.understanding.prose import own_prose
from butler_specialist.understanding.purpose import purpose_of
from butler_specialist.understanding.reading import Sentence, When, read
from butler_specialist.understanding.times import find_times, unclear_hour
from butler_specialist.understanding.travels import booking_code, legs

MOMENT = datetime(2026, 11, 21, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))
TODAY = MOMENT.date()
WORDS = sorted(
    words(
        "paid bill 12.50 EUR due tomorrow on 31.12. birthday of Ada flight OS451 hotel list milk add to the shopping"
        " when ? . > 120/80 weight kg refund invoice für Rechnung délai mañana from Vienna"
    )
)


def test_a_pattern_of_words_is_the_same_in_every_process_and_prefers_the_longer_word():
    assert one_of({"b", "mi", "c.h", "a", "mittag"}) == r"mittag|c\.h|mi|a|b"


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        ("Paid 42.50 EUR for groceries", ["42.50 EUR"]),
        ("Rechnung über 89,90 EUR", ["89.90 EUR"]),
        ("la facture : 64,20 € le 18/11/2026", ["64.20 EUR"]),
        ("It cost €1,234.50 in all", ["1234.50 EUR"]),
        ("Miete 1.234,50 € bezahlt", ["1234.50 EUR"]),
        ("loyer 1 234,50 €", ["1234.50 EUR"]),
        ("CHF 1'250.00 for skis", ["1250.00 CHF"]),
        ("pagué 30 euros y 12 dólares", ["30 EUR", "12 USD"]),
        ("$5 for coffee and £3.20 for tea", ["5 USD", "3.20 GBP"]),
        ("15€ Döner", ["15 EUR"]),
        ("only 80 cents", ["0.8 EUR"]),
        ("lunch was 12.50\u202f€", ["12.50 EUR"]),
        ("12,50\u2009€ / 12,50\u00a0€", ["12.50 EUR", "12.50 EUR"]),
        ("Lunch:12,50€, tea €3", ["12.50 EUR", "3 EUR"]),
        ("CHF 20.- and 5.– CHF", ["20 CHF", "5 CHF"]),
        ("EUR 12, 12 euros, 5 bucks, 5 quid", ["12 EUR", "12 EUR", "5 USD", "5 GBP"]),
        ("12,-- € und 12€50", ["12 EUR", "12.5 EUR"]),
        ("Lunch was 11 Euro 80", ["11.8 EUR"]),
        ("zwölf Euro fünfzig für Kaffee", ["12.5 EUR"]),
        ("douze euros cinquante, vingt et un dollars", ["12.5 EUR", "21 USD"]),
        ("treinta y cinco euros con 50, 3 euros y 5 céntimos", ["35.5 EUR", "3.05 EUR"]),
        ("twenty-five euros and 5 cents, bread and three quid 50", ["25.05 EUR", "3.5 GBP"]),
        ("hundertzwanzig Euro, two hundred and twenty dollars", ["120 EUR", "220 USD"]),
        ("20 euros 15 minutes ago, 5 EUR 12 Nov, 10 EUR 20 EUR", ["20 EUR", "5 EUR", "10 EUR", "20 EUR"]),
        ("one thousand twenty euros, one or two euros, two point five euros", []),
        ("2 pounds of butter, 2 Pfund Butter, 20 Pfund bezahlt", ["20 GBP"]),
        ("Call 0171 2345678 at 10:30 about room 12", []),
        ("Flight OS451 on 2027-03-14", []),
        ("version 3.11.7 of 2026-11-21", []),
    ],
)
def test_amounts_keep_their_value_and_currency(text: str, sums: list[str]) -> None:
    assert [f"{amount.value} {amount.currency}" for amount in find_amounts(text)] == sums


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1.234,56", "1234.56"),
        ("1,234.56", "1234.56"),
        ("1.234", "1234"),
        ("12,5", "12.5"),
        ("1 234", "1234"),
        ("7", "7"),
    ],
)
def test_numbers_are_read_in_both_writings(written: str, number: str) -> None:
    assert number_of(written) == Decimal(number)


def test_currencies_are_never_added_up() -> None:
    assert (
        total_text([(Decimal("1.5"), "EUR"), (Decimal(2), "USD"), (Decimal(3), "EUR")])
        == "4.50 EUR and 2.00 USD"
    )


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 2026-11-19", date(2026, 11, 19)),
        ("fällig am 05.12.2026", date(2026, 12, 5)),
        ("le 18/11/2026", date(2026, 11, 18)),
        ("on 11/19/2026", date(2026, 11, 19)),
        ("Sun 14 March 2027", date(2027, 3, 14)),
        ("on March 14th, 2027", date(2027, 3, 14)),
        ("am 3. April 2027", date(2027, 4, 3)),
        ("le 1er mai 2027", date(2027, 5, 1)),
        ("el 5 de diciembre de 2026", date(2026, 12, 5)),
        ("on 3 April", date(2027, 4, 3)),
        ("am 24.12.", date(2026, 12, 24)),
        ("yesterday", date(2026, 11, 20)),
        ("vorgestern", date(2026, 11, 19)),
        ("demain", date(2026, 11, 22)),
        ("mañana", date(2026, 11, 22)),
        ("esta mañana", TODAY),
        ("heute Morgen", TODAY),
        ("3 days ago", date(2026, 11, 18)),
        ("vor 2 Wochen", date(2026, 11, 7)),
        ("in 10 days", date(2026, 12, 1)),
        ("last Friday", date(2026, 11, 20)),
        ("next Monday", date(2026, 11, 23)),
        ("сегодня", TODAY),
        ("übermorgen", date(2026, 11, 23)),
        ("next Friday", date(2026, 11, 27)),
        ("on the 3rd", date(2026, 12, 3)),
        ("the 15th at 10:00", date(2026, 11, 15)),
        ("am 3. um 17 Uhr", date(2026, 12, 3)),
        ("am 3.12.", date(2026, 12, 3)),
        ("Zahnarzt Fr. 4.12. um 10 Uhr", date(2026, 12, 4)),
        ("die Miete, 1.250,- € 1.12. fällig", date(2026, 12, 1)),
        ("1.12. 346 Euro", date(2026, 12, 1)),
        ("bis 3.12", date(2026, 12, 3)),
        ("on 3/12", date(2026, 12, 3)),
        ("due 12/25", date(2026, 12, 25)),
        ("in two weeks", date(2026, 12, 5)),
        ("vor einer Woche", date(2026, 11, 14)),
    ],
)
def test_days_are_read_relative_to_the_messages_own_day(text: str, day: date) -> None:
    assert [found.day for found in find_days(text, TODAY)] == [day]


@pytest.mark.parametrize(
    "text",
    [
        "on 2026-02-31",
        "31.02.2026",
        "99/99/2026",
        "room 12.5",
        "1.2.3.4",
        "Good morning!",
        "on the 3rd floor",
        "1/2 cup",
        "at 124/79",
    ],
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert find_days(text, TODAY) == ()


def test_a_day_without_a_year_lies_on_the_side_that_is_meant() -> None:
    (found,) = find_days("on 3 March", TODAY)
    assert (found.on("past"), found.on("future")) == (date(2026, 3, 3), date(2027, 3, 3))


def test_times_of_day_are_read_in_all_writings() -> None:
    text = "07:05, 7 pm, 18 Uhr, 18h30, 12:15 am"
    assert [moment.at for moment in find_times(text)] == [
        time(7, 5),
        time(19),
        time(18),
        time(18, 30),
        time(0, 15),
    ]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("um 17.30 Uhr", time(17, 30)),
        ("at 5.30 pm", time(17, 30)),
        ("le 3 à 18h", time(18)),
        ("tonight at 8", time(20)),
        ("tomorrow morning at 8", time(8)),
        ("um 17", time(17)),
        ("next Friday at 17.30", time(17, 30)),
        ("at noon", time(12)),
    ],
)
def test_everyday_times_are_read(text: str, at: time) -> None:
    assert [moment.at for moment in find_times(text)] == [at]


def test_an_hour_of_which_half_of_the_day_is_not_said_is_no_time() -> None:
    assert find_times("tomorrow at 5") == ()
    assert unclear_hour("tomorrow at 5") == "at 5"
    assert unclear_hour("tonight at 8, look at 14 pictures") is None


@pytest.mark.parametrize(
    ("text", "purpose"),
    [
        ("Paid 10 EUR for the dentist's parking", "dentist's parking"),
        ("Paid 10 EUR for lavender", "lavender"),
        ("63 € für die Derby-Karten", "Derby-Karten"),
        ("5 € pour l'essence", "essence"),
        ("Thermos flask repair costs 10 EUR", "Thermos flask repair"),
        ("My dental cover renews at 8 EUR a month", "dental cover"),
    ],
)
def test_the_purpose_is_in_whole_words(text: str, purpose: str) -> None:
    sentence = Sentence(text, TODAY)
    assert purpose_of(sentence, sentence.amounts[0]) == purpose


def test_a_day_is_named_in_full_whatever_the_locale() -> None:
    assert day_text(TODAY) == "Saturday, 21 November 2026"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Blood pressure 124/79 this morning, pulse 61", ["blood_pressure 124/79 mmHg", "pulse 61 bpm"]),
        ("Gewicht heute früh: 72,4 kg", ["weight 72.4 kg"]),
        (
            "Esta mañana peso 81,4 kg. Tensión arterial 121/78.",
            ["weight 81.4 kg", "blood_pressure 121/78 mmHg"],
        ),
        ("Blutdruck 130 zu 85, Puls 70", ["blood_pressure 130/85 mmHg", "pulse 70 bpm"]),
        ("fever 38.5 °C", ["temperature 38.5 °C"]),
        ("Blutzucker 105 mg/dl", ["glucose 105 mg/dl"]),
        ("glucose 5.4", ["glucose 5.4 mmol/l"]),
        ("BP 79/124", []),
        ("bought 2 kg of apples", []),
    ],
)
def test_measurements_carry_their_unit(text: str, values: list[str]) -> None:
    found = [
        f"{item.kind} {item.value}{f'/{item.second}' if item.second else ''} {item.unit}"
        for item in find_measurements(text)
    ]
    assert found == values


@pytest.mark.parametrize(
    ("text", "dose"),
    [
        ("Started taking ibuprofen 400 mg twice a day", ("ibuprofen", "400", "mg", "twice a day")),
        ("Took 500 mg of metformin this morning", ("metformin", "500", "mg", None)),
        ("Ramipril 5 mg täglich", ("Ramipril", "5", "mg", "täglich")),
    ],
)
def test_doses_name_the_medication(text: str, dose: tuple[str, str, str, str | None]) -> None:
    (found,) = find_doses(text)
    assert (found.medication, str(found.amount), found.unit, found.frequency) == dose


@pytest.mark.parametrize(
    ("text", "name", "items", "removed"),
    [
        ("Add milk, bread and eggs to the shopping list", "shopping", ("milk", "bread", "eggs"), False),
        ("Список покупок: хлеб, молоко, яблоки.", "shopping", ("хлеб", "молоко", "яблоки"), False),
        ("Setze Butter und Käse auf die Einkaufsliste", "shopping", ("Butter", "Käse"), False),
        ("Ajoute du lait à la liste de courses", "shopping", ("lait",), False),
        ("Añade leche y pan a la lista de la compra", "shopping", ("leche", "pan"), False),
        ("Remove bread from the shopping list", "shopping", ("bread",), True),
        ("Please put sun cream on the packing list", "packing", ("sun cream",), False),
        ("Buy batteries and tape", "shopping", ("batteries", "tape"), False),
        ("Buy dumplings, the thermos, some tea", "shopping", ("dumplings", "thermos", "tea"), False),
    ],
)
def test_list_items_are_taken_one_by_one(text: str, name: str, items: tuple[str, ...], removed: bool) -> None:
    (change,) = list_changes(read(text, MOMENT))
    assert (change.name, change.items, change.removed) == (name, items, removed)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Remember: Clara's birthday is on 2027-01-17", "Clara"),
        ("I met my old friend Jonas at the conference", "Jonas"),
        ("Gift idea for my friend Clara: a fountain pen", "Clara"),
        ("I met a new friend, Clara Diaz, at the gym", "Clara Diaz"),
        ("Grandma's birthday is on 3 April 2027", "Grandma"),
        ("Oma hat am 3. April Geburtstag", "Oma"),
        ("The weather is fine", None),
    ],
)
def test_people_are_named_by_what_stands_next_to_them(text: str, name: str | None) -> None:
    assert person_in(Sentence(text, TODAY)) == name


def test_a_flight_line_has_number_way_and_time() -> None:
    sentence = Sentence("Sun 14 March 2027  OS451  Vienna 07:05 - Lisbon 10:25", TODAY)
    (leg,) = legs(sentence)
    assert (leg.code, leg.origin, leg.destination) == ("OS451", "Vienna", "Lisbon")
    assert booking_code("Your booking BK7Q2M is confirmed.") == "BK7Q2M"
    assert booking_code("Confirmation no. 88-1402") == "88-1402"
    assert booking_code("Your booking is confirmed") is None


def test_only_the_senders_own_words_count() -> None:
    quote = "On Thu, Nov 19, 2026 at 6:40 PM Ben <ben@example.org> wrote:\n> the bill, 54.10 EUR"
    prompt = f"It was 20 EUR.\n\nAda\n\n{quote}"
    assert "54.10" not in own_prose(prompt).text
    assert own_prose("> nothing but a quote").text == "> nothing but a quote"


@pytest.mark.parametrize(
    ("prompt", "subject", "text"),
    [
        ("Subject: Spare key\n\nIt is with Zoe.\n\nKind regards\nBen", "Spare key", "It is with Zoe."),
        ("Subject: Re: Fwd: Bins\r\n\r\nThey go out today\r\n\r\nThanks, Ada", "Bins", "They go out today"),
        ("Subject: Lunch\n\nwith Jonas\n\nAda", "Lunch", "with Jonas"),
        ("Subject: The plumber comes at 17:00\n\nBen", "", "The plumber comes at 17:00"),
        ("Subject: The plumber comes at 17:00\n\n", "", "The plumber comes at 17:00"),
        ("Subject: 27. April\n\nOhrenarzt", "", "27. April\nOhrenarzt"),
        ("The key is with Zoe.\n\nLG Ada", "", "The key is with Zoe."),
        ("Hello,\nthanks!\nThe code is 4421", "", "Hello,\nthanks!\nThe code is 4421"),
        ("For the shopping list:\n\nMilk", "", "For the shopping list:\n\nMilk"),
    ],
)
def test_a_mail_is_its_body_without_subject_and_signature(prompt: str, subject: str, text: str) -> None:
    prose = own_prose(prompt)
    assert (prose.subject, prose.text) == (subject, text)


def test_what_the_router_carries_over_dates_a_part_but_is_not_its_text() -> None:
    reading = read("Paid 5 EUR for tea\n\n(Said before in the same message: yesterday)", MOMENT)
    assert reading.text == "Paid 5 EUR for tea"
    assert reading.when(reading.sentences[0], "past") == When(date(2026, 11, 20), named=True)


@pytest.mark.parametrize(
    "text",
    [
        "Subject: " + " " * 19_000 + "x\ny",
        "Hi\nthanks" + "!" * 19_000 + "§",
        "Text\nthanks A" + "." * 19_000 + "§",
        "hello" + "!?" * 9_000 + "1",
        "on 1/1" + "/." * 9_000 + "x",
    ],
)
def test_texts_that_are_made_to_be_slow_are_read_like_others(text: str) -> None:
    profile = load_profile("general")
    reading = read(text, MOMENT)
    assert profile.compose(reading, household=True)


@given(st.text(max_size=300))
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text(max_size=300) | st.from_regex(r"[0-9.,'€$ a-z/:-]{0,80}"))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for amount in find_amounts(text):
        inside = text[amount.start : amount.end]
        assert any(char.isdigit() for char in inside)
    for day in find_days(text, TODAY):
        assert 0 <= day.start < day.end <= len(text)
    ends = [(amount.start, amount.end) for amount in find_amounts(text)]
    assert all(first[1] <= second[0] for first, second in pairwise(ends))


@pytest.mark.parametrize("name", PROFILES)
@settings(deadline=None, max_examples=60)
@given(
    text=st.text(min_size=1, max_size=400)
    | st.lists(
        st.sampled_from(WORDS),
        max_size=30,
    ).map(" ".join),
    household=st.booleans(),
)
def test_no_text_breaks_a_profile(name: str, text: str, household: bool) -> None:
    profile = load_profile(name)
    reading = read(text, MOMENT)
    lookup = profile.asked(reading)
    if lookup is not None:
        assert profile.answer(reading, [])
    drafts = profile.compose(reading, household=household)
    assert drafts or (name == "general" and household and small_talk(reading) is not None)
    assert profile.acknowledge(drafts, [], reading, household=household).strip()
