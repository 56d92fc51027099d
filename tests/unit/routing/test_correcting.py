"""A message that says that the one before went to the wrong butler, and what only sounds like one (D71)."""

from __future__ import annotations

import pytest

from butler_switchboard.routing.rules.correcting import Correction, correction_in

NAMES = ("finance", "general", "health", "travel")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("no, that was for finance", "en"),
        ("No that was for the finance butler!", "en"),
        ("oops, sorry, this is for finance please", "en"),
        ("wrong butler, finance", "en"),
        ("Wrong butler: that's for finance", "en"),
        ("that belongs to finance", "en"),
        ("that should have gone to finance", "en"),
        ("send it to finance instead", "en"),
        ("it was meant for finance", "en"),
        ("nein, das war für finance", "de"),
        ("Nee, das war fuer finance", "de"),
        ("das war für finance gedacht", "de"),
        ("Das gehört zu finance", "de"),
        ("falscher Butler, finance bitte", "de"),
        ("schick das an finance", "de"),
        ("non, c'était pour finance", "fr"),
        ("non, ça c’était pour finance", "fr"),
        ("mauvais butler : finance", "fr"),
        ("envoie-le à finance stp", "fr"),
        ("no, eso era para finance", "es"),
        ("perdón, era para finance", "es"),
        ("mándalo a finance por favor", "es"),
    ],
)
def test_a_wrong_butler_is_said_in_four_languages(text: str, language: str) -> None:
    assert correction_in(text, NAMES) == Correction("finance", None, language)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "from general to finance",
        "no, that was for finance, not general",
        "move it from general to finance",
        "von general an finance",
        "nein, das war für finance, nicht für general",
        "de general à finance",
    ],
)
def test_whose_it_was_not_may_be_said_too(text: str) -> None:
    found = correction_in(text, NAMES)
    assert found is not None
    assert (found.to, found.of) == ("finance", "general")


@pytest.mark.parametrize(
    "text",
    [
        "no, that was for grandma",
        "it was for travel",
        "that was for health reasons",
        "this is for finance",
        "no, that was for finance?",
        "no, that was for finance class on Monday",
        "no, finance was closed",
        "send it to Clara",
        "the flight from travel",
        "from finance to finance",
        "no, that was for finance\nand buy milk",
        "",
        "no, " * 200 + "that was for finance",
    ],
)
def test_what_only_sounds_like_it_is_none(text: str) -> None:
    assert correction_in(text, NAMES) is None


def test_a_butler_that_nobody_registered_is_a_word_like_any_other() -> None:
    assert correction_in("no, that was for finance", ("general",)) is None
    assert correction_in("no, that was for finance", ()) is None
