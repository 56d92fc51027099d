"""A number alone with its reason, and what is taken back with a reason, are corrections of what was said last."""

from __future__ import annotations

import pytest

from butler_kit.wording.amends import Amend, amend_in
from butler_kit.wording.folding import fold
from tests.support.talks import Talks


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("sorry nurse fingers, 148/76", "148/76"),
        ("perdón 368,20, baile de números", "368,20"),
        ("54 i mean, fat fingers", "54"),
        ("nein 38,2, verlesen", "38,2"),
        ("non, 45, je crois", "45"),
        ("oops, 12:30, wrong line", "12:30"),
    ],
)
def test_a_number_with_a_reason_is_what_is_right(text: str, right: str) -> None:
    assert amend_in(text, fold) == Amend(right, apart=True)


@pytest.mark.parametrize(
    "text",
    [
        "scrap that, orla paid it herself bless her",
        "scrap that, wrong calendar, thats my neighbours",
        "delete it, that was my sister's",
        "lösch das, war für die Firma",
        "ah non c'est ma belle-mère qui a payé, enlève",
        "borra eso, fue mi hermana",
        "no, eso era de mi hermana, quítalo",
    ],
)
def test_what_is_taken_back_with_a_reason_is_taken_back(text: str) -> None:
    assert amend_in(text, fold) == Amend(takes_back=True)


@pytest.mark.parametrize(
    "text",
    [
        "scrap that, buy milk",
        "scrap that, dentist is on the 10th",
        "delete milk, that was wrong",
        "cancel that?",
    ],
)
def test_what_asks_for_something_more_is_not_only_taken_back(text: str) -> None:
    meant = amend_in(text, fold)
    assert meant is None or not meant.takes_back


@pytest.mark.parametrize(
    ("told", "then", "answer"),
    [
        ("bp 184/76", "sorry nurse fingers, 148/76", "Changed from 184/76 mmHg to 148/76 mmHg"),
        ("paid the dog walker 45", "54 i mean, fat fingers", "Changed from 45.00 EUR to 54.00 EUR"),
        (
            "pizza for the kids last night 31.50",
            "scrap that, orla paid it herself bless her",
            "Taken back: 31.50 EUR",
        ),
    ],
)
def test_it_reaches_the_butler_that_was_told_and_puts_that_right(told: str, then: str, answer: str) -> None:
    talks = Talks()
    [butler] = talks.say(told).butlers
    said = talks.say(then)
    assert said.butlers == {butler}
    assert said.text.startswith(answer)
