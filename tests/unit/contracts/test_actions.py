"""What may be pressed, and the reference that a button carries (ADR 0041)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.actions import (
    ACTIONS_MAX,
    REFERENCE_MAX,
    ActionV1,
    Pressed,
    Remedy,
    RemedyPressed,
    Verdict,
    VerdictPressed,
    id_of,
    messengers_own,
    pressed_of,
    remedy_of,
    short_id,
    verdict_of,
)
from butler_contracts.notify import NotifyRequestV1, unknown_in, without
from butler_contracts.parse import ContractViolation, parse

DONE = {"id": "done.7", "label": "Done"}


def notify(*actions: dict[str, Any], intent: str = "send", **delivery: Any) -> dict[str, Any]:
    said = {"intent": intent, "channel": "telegram", "message": "Reminder: water the plants", **delivery}
    if actions:
        said["actions"] = list(actions)
    return {"schema_version": "notify.v1", "origin_butler": "home", "delivery": said}


@given(st.uuids(), st.from_regex(r"[A-Za-z0-9_.-]{1,39}", fullmatch=True))
def test_a_reference_is_read_back_and_fits_under_a_button(identifier: UUID, action: str) -> None:
    pressed = Pressed(identifier, action)
    assert pressed_of(pressed.reference) == pressed
    assert len(pressed.reference.encode()) <= REFERENCE_MAX


@given(st.sampled_from(("approve", "deny")), st.uuids())
def test_a_verdict_is_an_action_and_is_read_back(verdict: Verdict, question_id: UUID) -> None:
    wanted = VerdictPressed(verdict, question_id)
    assert verdict_of(ActionV1(id=wanted.action, label="x").id) == wanted
    assert pressed_of(wanted.pressed.reference) == wanted.pressed
    assert verdict_of(f"{wanted.action}x") is None
    assert verdict_of("done.7") is None


@given(st.sampled_from(("resend", "arrived")), st.uuids())
def test_a_remedy_is_an_action_of_messengers_own_and_is_read_back(remedy: Remedy, note_id: UUID) -> None:
    wanted = RemedyPressed(remedy, note_id)
    assert remedy_of(ActionV1(id=wanted.action, label="x").id) == wanted
    assert pressed_of(wanted.pressed.reference) == wanted.pressed
    assert (verdict_of(wanted.action), remedy_of(f"{wanted.action}x")) == (None, None)
    assert messengers_own(wanted.action) == note_id
    assert messengers_own(VerdictPressed("deny", note_id).action) == note_id
    assert messengers_own("done.7") is None


@given(st.text(max_size=80))
def test_any_text_is_a_reference_of_ours_or_none(text: str) -> None:
    found = pressed_of(text)
    assert found is None or found.reference == text


def test_an_id_has_one_spelling() -> None:
    short = short_id(UUID(int=0))
    assert id_of(short) == UUID(int=0)
    assert id_of(f"{short[:-1]}B") is None  # the last character has four bits too many


def test_a_message_without_actions_is_written_as_the_release_before_reads_it() -> None:
    told = parse(NotifyRequestV1, notify(DONE))
    assert [action.label for action in told.delivery.actions] == ["Done"]
    refusal = "notify_request.delivery.actions: is not a known field"
    assert unknown_in(refusal) == ("actions",)
    assert "actions" not in without(told, unknown_in(refusal)).to_wire()["delivery"]
    assert without(told, unknown_in(refusal)) == parse(NotifyRequestV1, notify())


def test_urgency_is_told_where_it_is_not_the_usual_and_the_release_before_is_told_the_same_without() -> None:
    wish = notify()
    assert "urgency" not in parse(NotifyRequestV1, wish).to_wire()["delivery"]
    wish["delivery"]["urgency"] = "high"
    told = parse(NotifyRequestV1, wish)
    assert (told.delivery.urgency, told.to_wire()["delivery"]["urgency"]) == ("high", "high")
    refusal = "delivery.urgency: is not a known field"
    assert without(told, unknown_in(refusal)) == parse(NotifyRequestV1, notify())
    wish["delivery"]["urgency"] = "at once"
    with pytest.raises(ContractViolation, match=r"delivery\.urgency"):
        parse(NotifyRequestV1, wish)


def test_a_format_is_told_where_it_is_not_plain_and_the_release_before_is_told_the_same_without() -> None:
    wish = notify(format="markdown")
    told = parse(NotifyRequestV1, wish)
    assert (told.delivery.format, told.to_wire()["delivery"]["format"]) == ("markdown", "markdown")
    assert "format" not in parse(NotifyRequestV1, notify(format="plain")).to_wire()["delivery"]
    refusal = "delivery.format: is not a known field"
    assert without(told, unknown_in(refusal)) == parse(NotifyRequestV1, notify())
    with pytest.raises(ContractViolation, match=r"delivery\.format"):
        parse(NotifyRequestV1, notify(format="html"))


@pytest.mark.parametrize(
    ("document", "named"),
    [
        (notify(*({"id": str(one), "label": "x"} for one in range(ACTIONS_MAX + 1))), "actions"),
        (notify(DONE, DONE), "an id twice"),
        (notify({"id": "done 7", "label": "Done"}), "actions[0].id"),
        (notify({"id": "x" * 40, "label": "Done"}), "actions[0].id"),
        (notify({"id": "done", "label": ""}), "actions[0].label"),
        (notify({"id": "done", "label": "a\nb"}), "actions[0].label"),
        (notify(DONE, message=None, intent="react", emoji="👀"), "actions"),
    ],
)
def test_what_cannot_be_a_button_is_refused_by_name(document: dict[str, Any], named: str) -> None:
    with pytest.raises(ContractViolation) as refused:
        parse(NotifyRequestV1, document)
    assert named in str(refused.value)
