"""What a hostile text can make a specialist do is bounded: sentences, sums, what is said to be carried."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from butler_specialist.understanding.money import find_amounts
from butler_specialist.understanding.prose import own_prose
from butler_specialist.understanding.reading import read

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CARRIED = "(Said before in the same message: "


@pytest.mark.parametrize("text", ["$1" * 20_000, "1 eur " * 10_000, "5 eur for a " * 5_000])
def test_one_sentence_names_only_so_many_sums_and_none_twice(text: str) -> None:
    found = find_amounts(text)
    assert 0 < len(found) <= 32
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_a_message_names_only_as_many_sums_as_a_session_keeps() -> None:
    reading = read("I paid 5 euro for lunch. " * 700, NOW)
    assert len(list(reading.all_amounts())) == 128


@pytest.mark.parametrize("text", ["a" * 60_000, "\n" * 60_000 + "x", "pay " * 15_000, "a\n" * 30_000])
def test_sentences_are_few_and_none_is_longer_than_a_person_writes(text: str) -> None:
    sentences = own_prose(text).sentences
    assert len(sentences) <= 200
    assert max((len(sentence) for sentence in sentences), default=0) <= 1_000


def test_what_was_said_before_is_kept_apart_however_often_its_mark_is_repeated() -> None:
    assert own_prose(f"pay it\n{CARRIED}the rent is due)\n").carried == "the rent is due"
    assert own_prose(f"pay it\n{CARRIED}never closed").carried == ""
    repeated = own_prose(CARRIED * 1_500 + "x")
    assert repeated.carried == ""
    assert repeated.sentences
