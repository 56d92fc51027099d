"""A text is cut where its author divided it, also after an amount, and not inside a date (SWB-03.2)."""

from __future__ import annotations

import pytest

from butler_switchboard.routing.rules.units import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paid the joiner 80. Our boat leaves at 7.", ["Paid the joiner 80.", "Our boat leaves at 7."]),
        ("Der 31. ist ein Montag", ["Der 31. ist ein Montag"]),
        ("1. pay the rent 2. call Bo", ["1. pay the rent", "2. call Bo"]),
        ("10) milk 11) the bill of 90) or so", ["10) milk", "11) the bill of 90) or so"]),
        ("Ask Dr. Maas. She knows.", ["Ask Dr. Maas.", "She knows."]),
    ],
)
def test_a_sentence_ends_after_an_amount_but_not_after_a_day_or_a_title(text: str, expected: list[str]):
    assert [unit.of(text) for unit in sentences(text, [(0, len(text))])] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Oma hat am 5. Mai Geburtstag und Opa am 7. Juni",
        "offen vom 5. bis 7. Juni",
        "am 3. und 4. dezember zu",
    ],
)
def test_the_day_of_a_month_opens_no_item_of_a_list(text: str) -> None:
    assert [unit.of(text) for unit in sentences(text, [(0, len(text))])] == [text]
