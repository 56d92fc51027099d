"""What is held until a grown-up agrees: its steps, who is asked what, and what is said of it (ADR 0124)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from butler_contracts.call_approvals import MOST_ARGUMENTS
from butler_contracts.request_approvals import approval_of, request_in, written_request
from butler_switchboard.dispatch.buttons import TakeBack, own_button
from butler_switchboard.dispatch.decide import Announce, Conclude, Dispatch, Hear, Wait, next_step
from butler_switchboard.dispatch.held import (
    arguments_of,
    branches_of,
    closing_words,
    is_urgent,
    may_be_held,
    told_words,
)
from butler_switchboard.dispatch.model import Held, Plan, PlannedTarget, RequestState, Word
from butler_switchboard.dispatch.outcome import conclude
from butler_switchboard.dispatch.own_presses import plan_of_take_back
from butler_switchboard.dispatch.records import plan_from_json, plan_to_json
from butler_switchboard.dispatch.retry import RetryPolicy
from tests.unit.switchboard.dispatch.build import NOW, REQUEST, branch, message, plan, request

BOOK = "Book the flight to Rome"
TARGET = PlannedTarget(2, "s2", "travel", BOOK, away=True)
HELD = Held((TARGET,), "Mara")


def holding(*butlers: str, **held: Any) -> Plan:
    return plan(*butlers, held=replace(HELD, **held), said="Please talk to Mara first")


def step(state: RequestState) -> object:
    return next_step(state, now=NOW, policy=RetryPolicy(), presence={})


def test_a_request_waits_for_a_word_and_ends_with_it() -> None:
    assert step(request(holding())) == Hear()
    assert step(request(holding("general"), branch(1, "general", "ok"))) == Hear()
    assert isinstance(step(request(holding(word=Word.DENIED))), Conclude)
    assert isinstance(step(request(holding(), finished=NOW, state="cancelled")), Announce)


def test_the_other_parts_do_not_wait_and_the_word_is_heard_while_they_work() -> None:
    due = step(request(holding("general"), branch(1, "general")))
    assert isinstance(due, Dispatch)
    under_way = step(request(holding("general"), branch(1, "general", "accepted")))
    assert isinstance(under_way, Hear)
    assert isinstance(under_way.wait, Wait)


def test_what_is_agreed_to_is_dispatched() -> None:
    agreed = holding(word=Word.APPROVED)
    state = request(replace(agreed, targets=(TARGET,)), branch(2, "travel"))
    assert isinstance(step(state), Dispatch)
    assert [(one.target, one.position, one.attempt) for one in branches_of(HELD)] == [("travel", 2, 1)]


@pytest.mark.parametrize(
    ("language", "asked", "no", "late"),
    [
        ("en", "I have asked Mara", "Mara said no", "no answer from Mara in time"),
        ("de", "Ich habe Mara gefragt", "Mara hat Nein gesagt", "Von Mara kam"),
        ("fr", "J'ai demandé à Mara", "Mara a dit non", "Mara n'a pas répondu"),
        ("es", "Le he preguntado a Mara", "Mara ha dicho que no", "Mara no ha respondido"),
    ],
)
def test_its_writer_is_told_in_their_language(language: str, asked: str, no: str, late: str) -> None:
    held = replace(HELD, language=language)  # type: ignore[arg-type]
    assert told_words(held).startswith(asked)
    denied = closing_words(holding(language=language, word=Word.DENIED, said_by="Mara"), BOOK)
    expired = closing_words(holding(language=language, word=Word.EXPIRED), BOOK)
    for said, words in ((denied, no), (expired, late)):
        assert said is not None
        assert words in said
        assert BOOK in said


def test_nothing_is_said_at_the_end_of_what_was_agreed_to_or_taken_back() -> None:
    for word in (Word.APPROVED, Word.WITHDRAWN):
        assert closing_words(holding(word=word), BOOK) is None
    assert closing_words(holding(word=Word.UNASKED), BOOK) == "Please talk to Mara first"


def test_a_no_is_an_end_with_words_and_what_is_taken_back_is_only_recorded() -> None:
    denied = conclude(request(holding(word=Word.DENIED, said_by="Mara"), text=BOOK))
    assert denied.lifecycle_state == "parsed"
    assert denied.aggregated_reply is not None
    assert "Mara said no" in denied.aggregated_reply["text"]
    assert denied.dead_end is None
    assert conclude(request(holding(word=Word.WITHDRAWN))).lifecycle_state == "recorded"


def test_a_plan_is_read_as_it_was_kept_and_a_release_of_before_refuses_as_it_did() -> None:
    until = datetime(2026, 11, 24, 12, tzinfo=UTC)
    kept = holding("general", asked=("Mara", "Ben"), until=until, word=Word.DENIED, said_by="Ben")
    document = json.loads(json.dumps(plan_to_json(kept)))
    assert plan_from_json(document) == kept
    del document["held"]
    before = plan_from_json(document)
    assert (before.held, closing_words(before, BOOK)) == (None, "Please talk to Mara first")


@pytest.mark.parametrize(
    ("given", "control", "held"),
    [
        ({}, {}, True),
        ({"text": "Keep this to yourself: " + BOOK}, {}, False),
        ({"reply_policy": "none"}, {}, False),
        ({}, {"backfill_job_id": str(REQUEST)}, False),
    ],
)
def test_nobody_is_asked_about_what_is_between_us_or_not_answered_or_from_the_past(
    given: dict[str, Any], control: dict[str, Any], held: bool
) -> None:
    asked = message(**{"text": BOOK, **given})
    asked = replace(asked, envelope={**asked.envelope, "control": control})
    assert may_be_held(RequestState(asked, None, ())) is held


@pytest.mark.parametrize(
    ("text", "urgent"), [(BOOK, False), ("It's urgent: " + BOOK, True), ("Dringend! Buch den Flug", True)]
)
def test_who_says_that_it_is_urgent_is_not_kept_waiting_by_quiet_hours(text: str, urgent: bool) -> None:
    assert is_urgent(RequestState(message(text=text), None, ())) is urgent


def test_who_decides_reads_the_words_and_the_butlers_and_as_much_as_fits() -> None:
    asked = request_in(arguments_of(request(holding(), text=BOOK), HELD))
    assert (asked.butlers, asked.message, asked.urgent) == (("travel",), BOOK, False)
    long = written_request(("travel",), '"ü\n' * 2_000, urgent=True)
    assert len(long.encode()) <= MOST_ARGUMENTS
    shown = request_in(long)
    assert shown.urgent
    assert shown.message.endswith("…")
    assert len(shown.message) > 200
    assert approval_of(REQUEST) == approval_of(REQUEST)


def test_it_is_taken_back_by_who_wrote_it_and_before_anybody_decided() -> None:
    pressed = request(None)
    taken = plan_of_take_back(pressed, request(holding(), text=BOOK))
    assert taken is not None
    assert taken.takes_back == REQUEST
    assert taken.said == f"“{BOOK}” is taken back, and nobody is asked about it any more."
    again = plan_of_take_back(pressed, request(holding(word=Word.WITHDRAWN), text=BOOK))
    assert again is not None
    assert (again.takes_back, again.said) == (None, taken.said)
    late = plan_of_take_back(pressed, request(holding(word=Word.APPROVED), text=BOOK))
    assert late is not None
    assert (late.takes_back, late.said) == (None, f"“{BOOK}” is decided already; nothing was changed.")
    assert plan_of_take_back(pressed, request(plan("general"))) is None
    assert own_button(TakeBack(REQUEST).action) == TakeBack(REQUEST)


def test_nobody_takes_back_what_another_wrote() -> None:
    mine = request(holding(), text=BOOK)
    other = mine.message.context.model_copy(update={"source_sender_identity": "1002"})
    pressed = RequestState(replace(mine.message, context=other), None, ())
    found = plan_of_take_back(pressed, mine)
    assert found is not None
    assert (found.takes_back, found.said) == (
        None,
        "Only who wrote that message can take it back; nothing was changed.",
    )
