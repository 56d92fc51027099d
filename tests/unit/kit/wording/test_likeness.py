"""Words and sayings that mean the same, in four languages, and those that only look like it."""

from __future__ import annotations

import pytest

from butler_kit.wording.folding import fold
from butler_kit.wording.likeness import alike, content_words, covers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("zwiebel", "zwiebeln"),
        ("eponge", "eponges"),
        ("allergies", "allergic"),
        ("wlan", "wifi"),
        ("contrasena", "password"),
    ],
)
def test_forms_and_synonyms_of_a_word_are_alike(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("kirche", "kirsche"), ("contract", "contrast"), ("gas", "water"), ("tea", "team"), ("12", "123")],
)
def test_words_that_only_look_alike_are_not(one: str, other: str) -> None:
    assert not alike(one, other)


def test_a_saying_covers_another_that_has_no_word_more() -> None:
    assert covers(content_words("500 g Hackfleisch vom Rind", fold), content_words("das Hackfleisch", fold))
    assert not covers(content_words("le compteur d'eau", fold), content_words("le compteur de gaz", fold))
