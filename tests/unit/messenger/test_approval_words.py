"""What of a mail is a verdict, and how a question is known by its subject (ADR 0076)."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.actions import ActionV1
from butler_contracts.questions import AnswerWritten, answer_of, question_mark, question_of
from butler_messenger.approvals.written import verdict_in


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("yes", "approve"),
        ("YES!\n\nSent from my phone", "approve"),
        ("ja.", "approve"),
        ("Oui", "approve"),
        ("Sí", "approve"),
        ("si", "approve"),
        ("\n\n  **No**  \nyes", "deny"),
        ("Nein", "deny"),
        ("non\u00a0!", "deny"),
        ("> yes", None),
        ("yes please", None),
        ("Hello\nyes", None),
        ("yes or no", None),
        ("On Monday Butlers wrote:\n> yes", None),
        ("not", None),
        ("", None),
    ],
)
def test_only_a_first_line_that_is_nothing_but_yes_or_no_decides(text: str, verdict: str | None) -> None:
    assert verdict_in(text) == verdict


@given(st.uuids(), st.text(max_size=40), st.text(max_size=40))
def test_a_question_is_found_in_any_subject_that_names_it_and_its_answer_is_read_back(
    question: UUID, before: str, after: str
) -> None:
    assert question_of(f"{before}{question_mark(question)}{after}") == question
    written = AnswerWritten(question)
    assert answer_of(ActionV1(id=written.action, label="x").id) == written
    assert answer_of(f"{written.action}x") is None


def test_a_subject_that_names_two_questions_names_none() -> None:
    two = f"{question_mark(UUID(int=1))} {question_mark(UUID(int=2))}"
    assert question_of(two) is None
    assert question_of(f"{question_mark(UUID(int=1))} {question_mark(UUID(int=1))}") == UUID(int=1)
