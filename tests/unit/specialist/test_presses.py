"""What a press under a reminder comes to: pure, in four languages (ADR 0041)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.actions import REFERENCE_MAX, Pressed
from butler_contracts.language import LANGUAGES, Language
from butler_specialist.remind.actions import Verb, Wanted, actions_of, language_of_label, wanted_by
from butler_specialist.remind.press import Told, answered
from butler_specialist.store.reminder_model import GRACE, Reminder, ReminderAnswer, ReminderStop

DUE = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
NOW = DUE + timedelta(minutes=5)
LATER = UUID(int=9)


def reminder(language: Language = "en", **changes: Any) -> Reminder:
    known = Reminder(
        UUID(int=7), uuid4(), "water the plants", DUE, "Europe/Berlin", None, GRACE, "sent", "asked", language
    )
    return replace(known, **changes)


def wanted(verb: Verb = "done") -> Wanted:
    return Wanted(verb, UUID(int=7), DUE)


def said(verb: Verb, told: Any, language: Language = "en", *, now: datetime = NOW) -> str:
    found = answered(wanted(verb), told, now=now, language=language)
    assert (found.answer, found.draft, found.stop) == (None, None, None)
    return found.text


@given(st.uuids(), st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1)), st.sampled_from(LANGUAGES))
def test_each_button_is_read_back_and_fits_with_its_notification(
    identifier: UUID, due: datetime, language: Language
) -> None:
    at = due.replace(tzinfo=UTC)
    actions = actions_of(identifier, at, language)
    assert [wanted_by(action.id) for action in actions] == [
        Wanted(verb, identifier, at.replace(microsecond=0)) for verb in ("done", "10m", "1h")
    ]
    assert all(len(Pressed(uuid4(), action.id).reference) <= REFERENCE_MAX for action in actions)
    assert {language_of_label(action.label) for action in actions} == {language}


@given(st.text(max_size=60))
def test_any_other_action_means_nothing(action: str) -> None:
    found = wanted_by(action)
    assert found is None or action in [one.id for one in actions_of(found.reminder_id, found.due_at, "en")]


def test_done_is_kept_for_the_occurrence_that_was_told() -> None:
    found = answered(wanted(), Told(reminder()), now=NOW, language="en")
    assert found.text == "Done: water the plants."
    assert found.answer == ReminderAnswer(UUID(int=7), DUE, "done")
    assert (found.draft, found.stop) == (None, None)


@pytest.mark.parametrize(("verb", "minutes"), [("10m", 10), ("1h", 60)])
def test_what_is_put_off_comes_again_once_at_the_moment_that_is_said(verb: Verb, minutes: int) -> None:
    told = Told(reminder(rule="FREQ=DAILY", state="waiting"))
    found = answered(wanted(verb), told, now=NOW, language="en")
    assert found.draft is not None
    assert (found.draft.due_at, found.draft.rule) == (NOW + timedelta(minutes=minutes), None)
    assert (found.draft.text, found.draft.zone) == ("water the plants", "Europe/Berlin")
    assert found.answer == ReminderAnswer(UUID(int=7), DUE, "put_off")
    at = "08:15" if minutes == 10 else "09:05"
    assert found.text == f"I will remind you again on Monday, 23 November 2026 at {at}: water the plants."


def test_a_second_press_changes_nothing_and_says_what_stands() -> None:
    done = Told(reminder(), "done")
    put_off = Told(reminder(), "put_off", LATER, NOW + timedelta(minutes=3))
    over = Told(reminder(), "put_off", LATER)
    assert said("done", done) == said("1h", done) == "That was done already: water the plants."
    assert said("10m", put_off).startswith(
        "That was put off already, to Monday, 23 November 2026 at 08:08: water"
    )
    assert said("1h", over) == "You answered that already: water the plants."


@pytest.mark.parametrize("to", [NOW + timedelta(minutes=3), None])
def test_what_was_put_off_may_be_done_and_does_not_come_again(to: datetime | None) -> None:
    found = answered(wanted(), Told(reminder(), "put_off", LATER, to), now=NOW, language="en")
    assert found.answer == ReminderAnswer(UUID(int=7), DUE, "done", replaces=True)
    assert found.stop == (ReminderStop(LATER) if to is not None else None)
    assert found.text == "Done: water the plants."


def test_what_was_stopped_unknown_or_not_told_yet_is_left_alone() -> None:
    assert said("done", Told(reminder(state="stopped"))).startswith("This reminder was stopped, so nothing")
    unknown = "I do not know this reminder any more. Nothing was changed."
    assert said("done", None) == said("1h", Told(reminder()), now=DUE - timedelta(seconds=1)) == unknown
    assert answered(None, None, now=NOW, language="en").text == unknown
    assert said("done", Told(reminder(due_at=DUE + timedelta(seconds=1)))) == unknown
    tomorrow = reminder(due_at=DUE + timedelta(days=1), rule="FREQ=DAILY", state="waiting")
    assert answered(wanted(), Told(tomorrow), now=NOW, language="en").answer is not None


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_learns_of_anothers_reminder_and_each_is_answered_in_their_language(
    language: Language,
) -> None:
    others, unknown = said("done", "others", language), said("done", None, language)
    done = answered(wanted(), Told(reminder(language)), now=NOW, language="en").text
    assert "plants" not in others
    assert "plants" in done
    texts = {"en": "somebody else’s", "de": "jemand anderem", "fr": "quelqu’un d’autre", "es": "otra persona"}
    assert texts[language] in others
    assert len({others, unknown, done}) == 3
