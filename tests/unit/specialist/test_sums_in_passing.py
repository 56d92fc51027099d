"""Sums that are told in passing, and those that nobody paid: what finance keeps of them, in four languages."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_specialist.profiles import load_profile
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import read
from tests.support.talks import Talks

NOW = datetime(2027, 2, 9, 19, 0, tzinfo=ZoneInfo("Europe/Brussels"))
FINANCE = load_profile("finance")


def told(text: str) -> tuple[RecordDraft, ...]:
    return FINANCE.compose(read(text, NOW, currency="EUR"), household=True)


def sums(text: str) -> list[tuple[str, str]]:
    return [(draft.kind, f"{draft.amount:.2f}") for draft in told(text) if draft.amount is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 for lunch and 7 for the bus", ["12.00", "7.00"]),
        ("spent 16 on the cinema on sunday and 20 on a cab yesterday", ["16.00", "20.00"]),
        ("pagué 44 de luz y 19 de agua", ["44.00", "19.00"]),
        ("el fontanero cobró 130", ["130.00"]),
        ("today:\nbread 3.20\npetrol 58\nstamps 8.50", ["3.20", "58.00", "8.50"]),
        ("dropped 22.50 at lidl and like 4 euros 20 on a coffee", ["22.50", "4.20"]),
        ("Dem Tierheim habe ich 50 Euro gespendet, und der Kirche 30.", ["50.00", "30.00"]),
        ("31,40 chez monop ce midi et 2,10 de pain", ["31.40", "2.10"]),
        ("ok just transferred the 640 to the garage", ["640.00"]),
        ("I gave the window cleaner his fiver this morning", ["5.00"]),
        ("et une trentaine d'euros au resto hier soir", ["30.00"]),
        ("two tickets, they were forty five each so ninety in total", ["90.00"]),
    ],
)
def test_a_sum_without_its_currency_is_one_where_the_message_is_about_money(text: str, expected: list[str]):
    assert sums(text) == [("expense", each) for each in expected]


@pytest.mark.parametrize(
    "text",
    [
        "babysitter gets 12 an hour",
        "gas meter 48213 on the 1st, 48377 today",
        "der klempner kommt donnerstag zwischen 8 und 10",
        "the locker at the bank is number 214",
        "table for 4 at the Ritz",
    ],
)
def test_a_number_that_counts_or_measures_is_no_sum(text: str):
    assert sums(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "die 50 Euro fürs Parken hab ich zum Glück nicht zahlen müssen",
        "if we took the cheaper flat we would save 200 a month",
        "I nearly paid 90 for those shoes, glad I didn't",
        "j'ai failli prendre la robe à 150",
        "Hätt ich mal das Rad für 300 genommen",
        "si cobrara 2000 al mes me mudaría",
        "got the bike fixed for free, normally 60",
    ],
)
def test_what_was_spared_or_only_supposed_is_no_expense_and_is_said_to_be_none(text: str):
    drafts = told(text)
    assert [draft.kind for draft in drafts] == ["note"]
    said = FINANCE.acknowledge(drafts, (), read(text, NOW, currency="EUR"), household=True)
    assert "no sum is counted" in said or "kein" in said or "aucune somme" in said or "ningún" in said


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("the garage wants 640 for the brakes but I haven't paid them yet", "640.00"),
        ("je n'ai toujours pas payé la cantine, 64 euros avant vendredi", "64.00"),
        ("Water 41, not yet.", "41.00"),
        ("havent paid the electrician yet, 420 due on the 15th", "420.00"),
    ],
)
def test_what_is_not_paid_yet_is_a_bill(text: str, amount: str):
    assert sums(text) == [("bill", amount)]


def test_what_was_given_to_us_is_no_expense():
    assert sums("Oma hat mir 100 Euro zum Geburtstag geschenkt") == [("income", "100.00")]


def test_a_clause_beside_a_bill_that_says_what_something_cost_is_an_expense():
    text = 'the letter says "your balance of 310 EUR is due on 1 March", and dinner was 48'
    assert sums(text) == [("bill", "310.00"), ("expense", "48.00")]


def test_an_appointment_that_came_to_finance_keeps_its_day_and_hour():
    [note] = told("der klempner kommt donnerstag zwischen 8 und 10")
    assert (note.occurred_on.isoformat(), f"{note.occurred_at:%H:%M}") == ("2027-02-11", "08:00")


def test_what_is_beside_the_sums_is_quoted_and_not_lost():
    said = Talks(start=NOW).say("milk, eggs, dentist friday at 9, 30 quid for the gym").text
    assert all(each in said for each in ("milk", "eggs", "dentist friday at 9", "30.00 GBP"))


def test_what_is_told_beside_a_question_is_kept_and_counted_in_its_answer():
    talks = Talks(start=NOW)
    said = talks.say("paid 60 for petrol. what did we spend this month?")
    assert [record.amount for record in said.records] == [Decimal(60)]
    assert said.text.count("60.00 EUR") >= 2


THINGS = ("lunch", "the bus", "petrol", "flowers", "parking", "coffee", "stamps")
SUMS = st.decimals(min_value=1, max_value=400, places=2).filter(lambda each: each % 1 != 0)


@given(
    parts=st.lists(
        st.tuples(SUMS, st.sampled_from(THINGS)), min_size=2, max_size=4, unique_by=lambda p: p[1]
    ),
    joint=st.sampled_from((", ", " and ", "\n", ", and ")),
    form=st.sampled_from(("{sum} for {thing}", "{thing} {sum}")),
)
def test_of_several_sums_none_is_lost_and_each_is_said_as_it_is_kept(
    parts: list[tuple[Decimal, str]], joint: str, form: str
):
    text = "paid " + joint.join(form.format(sum=value, thing=thing) for value, thing in parts)
    reading = read(text, NOW, currency="EUR")
    drafts = FINANCE.compose(reading, household=True)
    kept = [draft.amount for draft in drafts if draft.amount is not None]
    assert sorted(kept) == sorted(value for value, _ in parts)
    said = FINANCE.acknowledge(drafts, (), reading, household=True)
    assert all(f"{value:,.2f} EUR" in said for value in kept)
    assert f"{sum(kept):,.2f} EUR" in said
