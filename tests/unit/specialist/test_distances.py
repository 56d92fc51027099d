"""How far somebody ran, cycled, swam or walked: kept as a value of whoever did it, in the unit in which it was said."""

from __future__ import annotations

import pytest

from butler_specialist.understanding.measurements import find_measurements
from tests.support.talks import Talks


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ran 5 km in 28 minutes", ("running", "5", "km")),
        ("heute 8 km gelaufen", ("running", "8", "km")),
        ("j'ai couru 10 km ce matin", ("running", "10", "km")),
        ("corrí 7,5 km", ("running", "7.5", "km")),
        ("swam 1500 m before work", ("swimming", "1500", "m")),
        ("went for a walk, 3 miles", ("walking", "3", "mi")),
        ("42 km Rad gefahren", ("cycling", "42", "km")),
    ],
)
def test_what_was_done_is_a_value(text: str, said: tuple[str, str, str]) -> None:
    assert [(one.kind, str(one.value), one.unit) for one in find_measurements(text)] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "I want to run 10 km",
        "the shop is 5 km away",
        "the car ran 300 km on one tank",
        "ran out of milk, the shop is 2 km away",
        "ich bin nicht 5 km gelaufen",
        "did you walk 5 km?",
        "walked 900 km",
    ],
)
def test_what_was_not_done_is_none(text: str) -> None:
    assert find_measurements(text) == ()


def test_a_way_belongs_to_whoever_went_it_and_is_told_when_asked() -> None:
    talks = Talks()
    assert talks.say("Leo swam 800 m today").records[0].party == "Leo"
    assert [row.party for row in talks.say("ran 5 km in 28 minutes").records] == [None]
    assert talks.say("how far did I run this week?").text == "Your running this week: 5 km (22 November)."
