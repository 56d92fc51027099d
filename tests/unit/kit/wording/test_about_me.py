"""What people say of themselves is read from any text: half a sentence, and garbage, say nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_kit.wording.about_me import asks_of_me, speaks_of_memory, told_about_me
from butler_kit.wording.folding import fold

PIECES = (
    "merk dir", "dass", "vergiss nicht,", "remember that", "recuerda que", "retiens que", "ich", "mein", "my", "is",
    "je", "wohne", "in Wien", "vegetarian", "forget everything", "you know about me", "!", ".", "\n", " ", "ß", "?",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Merk dir dass !",
        "merk dir, dass .",
        "Merke dir: dass ich",
        "Merk dir dass mein",
        "remember that I",
        "my",
        "",
    ],
)
def test_half_a_sentence_says_nothing_of_its_writer(text: str) -> None:
    assert not speaks_of_memory(text, fold)
    assert told_about_me(text, fold, in_passing=True) == ()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join) | st.text(max_size=200))
def test_of_any_text_what_is_told_has_a_statement_out_of_its_words(text: str) -> None:
    asks_of_me(text, fold)
    for one in told_about_me(text, fold, in_passing=True):
        assert len(one.statement.split()) > 1
        assert set(one.statement.split()) <= set(re.sub("[!.,]", " ", text).split()) | set(text.split())
