"""Corrections, short answers and what may be one: read in four languages, and never for long over a hostile text."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from butler_specialist.changes.named import named_in
from butler_specialist.understanding import told_words
from butler_specialist.understanding.corrections import correction_of
from butler_specialist.understanding.picks import NONE, picked
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.requests import requests_in
from butler_specialist.understanding.sentence import Sentence
from tests.support.cost import costs_less_than

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def clause(text: str) -> Sentence:
    return Sentence(text, NOW.date())


@pytest.mark.parametrize(
    ("text", "value", "wrong"),
    [
        ("no, 66", 66, []),
        ("sorry, it was 66 not 60", 66, [60]),
        ("not 60 but 66", 66, []),
        ("change it from 60 to 66 EUR", 66, [60]),
        ("Nein, 66, nicht 60", 66, [60]),
        ("Non, 66 € au lieu de 60 €", 66, [60]),
        ("No, 66, no 60", 66, [60]),
        ("En fait c'était une facture de 66", 66, []),
    ],
)
def test_the_number_that_is_right_is_told_from_the_one_that_was(
    text: str, value: int, wrong: list[int]
) -> None:
    found = correction_of(clause(text))
    assert found.value == Decimal(value)
    assert list(found.wrong) == wrong


@pytest.mark.parametrize(
    "text",
    [
        "move it from Thursday to Friday at 10:00",
        "on Friday at 10:00, not on Thursday",
        "Verschieb es von Donnerstag auf Freitag 10 Uhr",
        "vendredi à 10h00, pas jeudi",
        "el viernes a las 10:00, no el jueves",
    ],
)
def test_the_day_that_is_right_is_told_from_the_one_that_was(text: str) -> None:
    found = correction_of(clause(text))
    assert found.day is not None
    assert (found.day.after, found.at) == (date(2026, 11, 27), time(10))
    assert [day.after for day in found.wrong_days] == [date(2026, 11, 26)]


def test_a_pair_is_one_value_and_a_day_that_may_be_a_sum_is_a_sum() -> None:
    found = correction_of(clause("no, 138/82"))
    assert (found.value, found.second) == (Decimal(138), Decimal(82))
    assert correction_of(clause("no, 12.11")).value == Decimal("12.11")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("the second", 1), ("second one please", 1), ("2", 1), ("no. 2", 1), ("Nummer zwei", 1), ("die zweite", 1),
        ("la deuxième", 1), ("el segundo", 1), ("the last one", 2), ("the first", 0), ("3)", 2),
    ],
)  # fmt: skip
def test_a_short_answer_picks_by_place(text: str, place: int) -> None:
    assert picked(text, 3) == (place,)


@pytest.mark.parametrize("text", ["the fourth", "second thoughts about it", "2 eggs", "Lidl", "the dentist"])
def test_what_names_no_place_among_them_picks_none(text: str) -> None:
    assert picked(text, 3) == ()


def test_all_yes_and_none_are_answers() -> None:
    assert picked("both", 2) == (0, 1)
    assert picked("ja", 1) == (0,)
    assert picked("yes", 2) == ()
    assert all(NONE.match(text) for text in ("none", "keine", "aucun", "ninguno", "never mind"))


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("remove bread", "take_back"), ("streich Milch", "take_back"), ("enlève le pain", "take_back"),
        ("quita leche", "take_back"), ("the plumber was 140, not 130", "change"),
        ("Der Klempner hat 140 gekostet, nicht 130", "change"), ("the dentist was moved to Friday", "change"),
        ("Zahnarzt auf Freitag verschoben", "change"), ("no, on Friday", "change"), ("Nein, am Freitag", "change"),
    ],
)  # fmt: skip
def test_what_the_records_decide_only_may_be_a_request(text: str, wish: str) -> None:
    assert [(one.wish, one.told) for one in requests_in(read(text, NOW))] == [(wish, True)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("delete the Lidl expense", {"lidl", "expense"}),
        ("cancel that", set()),
        ("Lösche die Ausgabe bei Lidl vom Freitag", {"lidl", "ausgabe"}),
        ("Supprime la dépense de 23 € chez Lidl", {"lidl", "depense"}),
        ("Borra el gasto de Lidl", {"lidl", "gasto"}),
    ],
)
def test_an_entry_is_named_by_the_words_that_are_none_of_grammar(text: str, words: set[str]) -> None:
    assert named_in(clause(text)).words == words


@pytest.mark.parametrize(
    "unit", ["=", "a", "no ", "not 1 ", "was 1, not ", "remove ", "1/", "2 ", "the ", "on at "]
)
def test_no_text_takes_long(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    patterns = (
        told_words.REMOVES, told_words.RIGHTS, told_words.MOVED, told_words.PAID, told_words.INSTEAD, NONE
    )  # fmt: skip

    def read() -> None:
        for pattern in patterns:
            pattern.search(text)
        picked(text, 5)
        correction_of(clause(text[:4_000]))

    assert costs_less_than(5, read)
