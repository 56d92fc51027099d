"""What a question names, and how much of it was told."""

from __future__ import annotations

import pytest

from butler_kit.wording.asked_words import asked_words, names_one, share_told
from butler_kit.wording.folding import fold
from butler_kit.wording.likeness import content_words


def share(question: str, told: str) -> float:
    return share_told(asked_words(question, fold), content_words(told, fold))


def test_words_that_only_ask_name_nothing() -> None:
    assert asked_words("what was the name of it again, please?", fold) == frozenset()
    assert asked_words("wie war das nochmal?", fold) == frozenset()


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which day is the nursery closed", "nursery closed on the 19th, staff training"),
        ("wo ist der Schlüssel vom Keller?", "Kellerschlüssel hängt im Flur"),
        ("elle pèse combien Lou déjà ?", "pesée de Lou : 6,85 kg"),
    ],
)
def test_all_that_is_asked_is_told_in_other_forms_of_the_same_words(question: str, told: str) -> None:
    assert share(question, told) == 1.0


def test_a_share_counts_what_is_missing_and_a_property_counts_half() -> None:
    assert share("who repairs the garden shed?", "the garden gate squeaks") == pytest.approx(1 / 3)
    assert share("what is the code of the shed?", "the shed is green") == pytest.approx(2 / 3)


def test_a_property_alone_names_no_thing() -> None:
    asked = asked_words("the code for the shed?", fold)
    assert not names_one(asked, content_words("the code of my bike lock is 7391", fold))
    assert names_one(asked, content_words("the shed needs a new lock", fold))
