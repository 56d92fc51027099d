"""Whether words may be about danger, without knowing what day it is: in doubt they are."""

from __future__ import annotations

import pytest

from butler_kit.wording.danger import may_be_danger
from tests.unit.specialist.test_emergencies import ALARMING


@pytest.mark.parametrize("text", ALARMING)
def test_whatever_a_butler_answers_with_the_number_to_call_is_danger(text: str) -> None:
    assert may_be_danger(text)


@pytest.mark.parametrize(
    "text",
    [
        "Can I buy the blue bike for 40 euro?",
        "I paid the gas bill of 40 euro",
        "Book the flight to Rome",
        "no chest pain",
        "The printer is not responding",
        "first aid course about stroke on Monday",
        "Darf ich heute ins Kino?",
        "Est-ce que je peux acheter un livre ?",
        "¿Puedo ir al cine?",
        "",
    ],
)
def test_what_children_ask_on_any_day_is_none(text: str) -> None:
    assert not may_be_danger(text)


def test_a_long_message_is_read_as_far_as_anybody_in_need_would_write() -> None:
    assert may_be_danger("My brother is unconscious. " + "x" * 100_000)
    assert not may_be_danger("x" * 100_000 + " My brother is unconscious.")
