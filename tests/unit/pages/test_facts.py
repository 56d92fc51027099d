"""A record in words: what it is about, when, and what was measured, paid or booked."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal

import pytest

from butler_dashboard.pages.facts import about_when, facts, kind_word, shown_title
from tests.support.dashboard_samples import record


def test_what_is_kept_besides_the_words_is_said_with_its_unit_and_without_idle_zeros():
    assert facts(record(amount=Decimal("1234.5"), currency="EUR", party="Lidl")) == ("1,234.50 EUR", "Lidl")
    assert facts(record(amount=Decimal(7))) == ("7.00",)
    assert facts(record(quantity=Decimal("128.0"), quantity_second=Decimal(82), unit="mmHg")) == (
        "128/82 mmHg",
    )
    assert facts(record(quantity=Decimal(100), place="Rome", code="X7")) == ("100", "Rome", "X7")
    pressure = record(
        kind="measurement", quantity=Decimal(128), quantity_second=Decimal(82), code="blood_pressure"
    )
    assert facts(pressure) == ("128/82", "blood pressure")
    assert facts(record(kind="train", code="ICE_579")) == ("ICE_579",)
    assert facts(record()) == ()


def test_a_record_without_a_title_is_called_by_the_words_on_one_line():
    assert shown_title(record(text="Paid it\n\n  at once")) == "Paid it at once"
    assert shown_title(record(title="plumber")) == "plumber"
    assert shown_title(record(text=" \n")) == "(no text)"
    assert shown_title(record(text="")) == "(private)"


@pytest.mark.parametrize(
    ("day", "at", "said"),
    [
        (date(2026, 11, 23), None, "today"),
        (date(2026, 11, 24), time(8), "tomorrow, 08:00"),
        (date(2026, 11, 22), None, "yesterday"),
        (date(2026, 11, 26), time(15, 30), "Thu 26 Nov, 15:30"),
        (date(2027, 3, 1), None, "Mon 1 Mar 2027"),
    ],
)
def test_the_day_is_said_as_people_do_with_its_year_when_that_is_another(day, at, said):
    assert about_when(record(occurred_on=day, occurred_at=at), date(2026, 11, 23)) == said


def test_a_kind_that_nobody_named_is_said_in_its_own_words():
    assert kind_word("list_item") == "on a list"
    assert kind_word("blood_type") == "blood type"
