"""What lasts for days is on each of them: told as people write it, in four languages."""

from __future__ import annotations

from datetime import date

import pytest

from butler_specialist.questions.spans import last_day
from butler_specialist.store.model import Record
from butler_switchboard.routing.everybody import asks_everybody

BEGINS = date(2027, 5, 12)


def noted(text: str) -> Record:
    return Record("note", BEGINS, text, seq=1, channel="telegram", sender="7")


@pytest.mark.parametrize(
    "text",
    [
        "conference in ghent 12-15 may",
        "conference from 12 May to 15 May",
        "Tagung vom 12.5. bis 15.5.",
        "stage du 12 mai au 15 mai",
        "congreso del 12 de mayo al 15 de mayo",
    ],
)
def test_it_lasts_until_the_day_that_is_named_behind_the_first(text: str) -> None:
    assert last_day(noted(text)) == date(2027, 5, 15)


@pytest.mark.parametrize(
    "text", ["dentist on 12 May, tell them by 15 May", "12 May", "=" * 60_000, "12-15 may " * 6_000]
)
def test_two_days_that_are_no_span_last_one_day(text: str) -> None:
    assert last_day(noted(text)) == BEGINS


@pytest.mark.parametrize(
    "text", ["am I free on 14 May?", "what's on the 14th June?", "was steht am 14. Mai an?"]
)
def test_a_written_day_is_asked_of_everybody(text: str) -> None:
    assert asks_everybody(text)


@pytest.mark.parametrize(
    "text", ["what's on the shopping list?", "what did I spend in May?", "may I have 14?"]
)
def test_a_question_with_a_subject_is_not(text: str) -> None:
    assert not asks_everybody(text)
