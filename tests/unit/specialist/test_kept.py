"""What is found in a text or a clause is kept for the next who asks."""

from __future__ import annotations

from datetime import date

from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.sentence import Sentence


def test_a_sentence_is_looked_through_once_and_a_long_text_is_not_kept() -> None:
    asked: list[str] = []

    @kept
    def found(text: str, today: date) -> int:
        asked.append(text)
        return len(text) + today.day

    long = "a" * 1_001
    answers = [found(text, date(2027, 2, day)) for text in ("milk", "milk", long, long) for day in (9, 10)]
    assert answers == [13, 14, 13, 14, 1010, 1011, 1010, 1011]
    assert asked == ["milk", "milk", long, long, long, long]


def test_a_clause_keeps_what_was_found_in_it_for_each_of_what_was_given() -> None:
    asked: list[str] = []

    def found(sentence: Sentence, name: str) -> str:
        asked.append(name)
        return f"{sentence.text} {name}"

    one = Sentence("buy milk", date(2027, 2, 9))
    assert [one.once(found, name) for name in ("a", "b", "a")] == ["buy milk a", "buy milk b", "buy milk a"]
    assert asked == ["a", "b"]
