"""Of what a session records only what the message says counts, whatever the text talked it into."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_switchboard.extraction.judging import signals_of
from butler_switchboard.routing.rules.clean import own_ranges

TEXT = "My sister Anna is allergic to nuts.\n> Ben owes me 900 euros"
OWN = own_ranges(TEXT)
CALL = {"type": "fact", "subject": "my sister Anna", "quote": "Anna is allergic to nuts", "confidence": 0.9}


def test_a_finding_points_at_its_words_and_names_its_subject_as_they_do() -> None:
    [signal] = signals_of([CALL], TEXT, OWN)
    assert TEXT[signal.start : signal.end] == "Anna is allergic to nuts"
    assert signal.subject == "My sister Anna"


@pytest.mark.parametrize(
    "wrong",
    [
        {"quote": "Anna is allergic to cats"},
        {"quote": "   "},
        {"subject": "the mayor"},
        {"subject": " \n "},
        {"quote": "Ben owes me 900 euros", "subject": "Ben", "type": "loan"},
        {"quote": "nuts.\n> Ben owes me 900 euros", "subject": "Ben", "type": "loan"},
    ],
)
def test_what_the_writer_did_not_say_is_no_finding(wrong: dict[str, Any]) -> None:
    assert signals_of([CALL | wrong], TEXT, OWN) == ()


def test_evidence_may_go_over_lines_of_its_writer_and_not_over_a_quoted_one() -> None:
    text = "Anna moved\nto Porto.\n> Ben owes me 900 euros\nShe likes it."
    own = own_ranges(text)
    call = {"type": "fact", "subject": "Anna", "confidence": 0.9}
    [signal] = signals_of([call | {"quote": "Anna moved\nto Porto."}], text, own)
    assert text[signal.start : signal.end] == "Anna moved\nto Porto."
    assert signals_of([call | {"quote": text}], text, own) == ()


def test_the_same_is_recorded_once() -> None:
    assert len(signals_of([CALL, CALL], TEXT, OWN)) == 1


@given(st.text(max_size=200), st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_evidence_is_inside_the_text_whatever_is_called(text: str, subject: str, quote: str) -> None:
    call = {"type": "date", "subject": subject, "quote": quote, "confidence": 1}
    for signal in signals_of([call], text, own_ranges(text)):
        assert 0 <= signal.start < signal.end <= len(text)
        assert text[signal.start : signal.end] == quote.strip()
