"""Presses of Switchboard's own buttons: what they say, who may press them, what comes of it (D71, ADR 0111)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.actions import REFERENCE_MAX, Pressed, messengers_own
from butler_switchboard.dispatch.buttons import (
    Always,
    Never,
    OwnButton,
    RightButler,
    WrongButler,
    mark_of,
    own_button,
)
from butler_switchboard.dispatch.model import Plan, RequestState, Settling
from butler_switchboard.dispatch.own_presses import (
    plan_of_answer_to_offer,
    plan_of_right,
    plan_of_wrong,
    wrong_button,
)
from butler_switchboard.learning.deciding import LearnedRule
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from tests.unit.switchboard.dispatch.build import branch, message, plan

ADA, RULE = UUID(int=1), UUID(int=3)
NAMES = ("finance", "general", "health", "home", "travel")
EVERY: list[OwnButton] = [
    WrongButler(UUID(int=16)),
    RightButler(UUID(int=17), 16, mark_of("a-butler-with-a-very-long-name-of-its-own")),
    Always(UUID(int=18)),
    Never(UUID(int=19)),
]


def registry(*held: str) -> RegistryView:
    return RegistryView.of(ButlerProfile(name, eligible=name not in held) for name in NAMES)


def answered(butler: str = "general", **more: Any) -> RequestState:
    """A member's message that went to a butler and is done."""
    said = message(text="Paid the plumber 40 euro")
    said = replace(said, envelope={**said.envelope, "control": {}})
    decided: Plan = replace(plan(butler), **more)
    return RequestState(said, decided, (replace(branch(1, butler, "ok"), transport_tries=1),))


def pressing(sender: str = "1001") -> RequestState:
    press = message(text="Wrong butler")
    context = press.context.model_copy(update={"source_sender_identity": sender})
    return RequestState(replace(press, context=context, request_id=uuid4()), None, ())


@pytest.mark.parametrize("button", EVERY, ids=lambda button: type(button).__name__)
def test_a_button_is_read_as_it_was_written_fits_its_place_and_is_none_of_messengers(
    button: OwnButton,
) -> None:
    assert own_button(button.action) == button
    assert len(Pressed(uuid4(), button.action).reference.encode()) <= REFERENCE_MAX
    assert messengers_own(button.action) is None


@pytest.mark.parametrize(
    "action",
    [
        "done.7",
        "wrong.",
        "wrong.x",
        "to.AAAAAAAAAAAAAAAAAAAAAA.1",
        "always",
        f"{EVERY[0].action}.1",
        "unknown",
    ],
)
def test_a_butlers_action_is_no_button_of_switchboards(action: str) -> None:
    assert own_button(action) is None


@pytest.mark.parametrize(
    ("more", "offered"),
    [
        ({"fallback": True, "confidence": 0.99}, True),
        ({"confidence": 0.8}, True),
        ({"confidence": 0.85}, False),
        ({"confidence": None, "decided_by": "policy"}, False),
        ({"confidence": 0.8, "decided_by": "policy", "reason": "policy"}, False),
        ({"confidence": 0.99, "decided_by": "policy", "reason": f"learned_rule:{RULE}"}, True),
        ({"confidence": 0.99, "decided_by": "policy", "reason": f"learned:{RULE}"}, True),
    ],
    ids=["fallback", "unsure", "sure", "a press", "a triage rule", "a learned rule", "examples"],
)
def test_the_button_is_under_answers_to_what_was_not_decided_surely_or_was_learned(
    more: dict[str, Any], offered: bool
) -> None:
    button = wrong_button(answered(**more), "general", "en")
    assert (button is not None) == offered
    if button is not None:
        assert button.label == "Wrong butler"


def test_the_button_is_under_the_answers_of_who_has_the_message_and_to_members_alone() -> None:
    unsure = answered(fallback=True)
    stranger = unsure.message.context.model_copy(update={"sender_class": "other"})
    assert wrong_button(unsure, "finance", "en") is None
    assert wrong_button(replace(unsure, plan=None), "general", "en") is None
    theirs = replace(unsure, message=replace(unsure.message, context=stranger))
    assert wrong_button(theirs, "general", "en") is None


def test_it_is_asked_which_with_the_likeliest_butlers_that_may_be_asked_and_never_had_it() -> None:
    ranked = ("health", "general", "home", "finance", "travel")
    asked = plan_of_wrong(pressing(), answered(), "general", ranked, registry("finance"), "en")
    assert asked.said == "Which butler is “Paid the plumber 40 euro” for?"
    assert [one.label for one in asked.offers] == ["health", "home", "travel"]
    assert (asked.targets, asked.corrects) == ((), None)


def test_at_most_four_butlers_are_offered_and_nobody_where_there_is_nobody() -> None:
    asked = plan_of_wrong(pressing(), answered("zoo"), "zoo", NAMES, registry(), "en")
    assert len(asked.offers) == 4
    alone = plan_of_wrong(pressing(), answered(), "general", NAMES, registry(*NAMES), "en")
    assert alone.offers == ()
    assert (alone.said or "").startswith("There is no other butler")


def test_a_choice_does_what_the_words_would_do() -> None:
    meant = answered()
    chosen = RightButler(meant.request_id, 1, mark_of("home"))
    corrected = plan_of_right(pressing(), meant, chosen, registry(), "en")
    assert corrected is not None
    assert corrected.corrects is not None
    assert (corrected.corrects.butler, corrected.corrects.to) == ("general", "home")
    assert corrected.said == "“for general” goes to home; general takes back what it noted of it."


def test_what_was_pressed_before_is_said_and_changes_nothing() -> None:
    meant = answered("home")
    again = plan_of_right(
        pressing(), meant, RightButler(meant.request_id, 1, mark_of("home")), registry(), "en"
    )
    assert again is not None
    assert (again.said, again.corrects) == ("“Paid the plumber 40 euro” is with home already.", None)
    late = plan_of_wrong(pressing(), meant, "general", NAMES, registry(), "en")
    assert (late.said, late.offers) == (
        "“Paid the plumber 40 euro” is with home by now; nothing was changed.",
        (),
    )


@pytest.mark.parametrize("sender", ["1002", "6666"])
def test_nobody_corrects_by_a_button_what_another_wrote(sender: str) -> None:
    meant = answered()
    asked = plan_of_wrong(pressing(sender), meant, "general", NAMES, registry(), "en")
    chosen = plan_of_right(
        pressing(sender), meant, RightButler(meant.request_id, 1, mark_of("home")), registry(), "en"
    )
    assert chosen is not None
    for one in (asked, chosen):
        assert (one.offers, one.corrects) == ((), None)
        assert one.said == "Only who wrote that message can say whose it is; nothing was changed."


def test_a_butler_or_a_part_that_is_not_known_any_more_is_no_choice() -> None:
    meant = answered()
    for position, name in ((1, "butcher"), (7, "home")):
        chosen = RightButler(meant.request_id, position, mark_of(name))
        assert plan_of_right(pressing(), meant, chosen, registry(), "en") is None


def test_a_child_corrects_by_a_button_only_to_whom_they_may_ask() -> None:
    from zoneinfo import ZoneInfo

    from butler_contracts.person_settings import LimitsV1
    from butler_switchboard.dispatch.limited import Limited, within_limits

    meant = answered()
    corrected = plan_of_right(
        pressing(), meant, RightButler(meant.request_id, 1, mark_of("finance")), registry(), "en"
    )
    assert corrected is not None
    child = Limited(LimitsV1(butlers=("general", "home")), ZoneInfo("UTC"), "en", "Mara")
    refused = within_limits(corrected, child)
    assert (refused.corrects, refused.reason) == (None, "not_theirs:finance")


def test_an_offer_is_settled_by_whom_it_was_made_alone() -> None:
    rule = LearnedRule(RULE, ADA, "home", ("Paid the plumber 40 euro",), "offered")
    settled = plan_of_answer_to_offer(pressing(), rule, ADA, always=True, language="en")
    assert settled.settles == Settling(RULE, "home", always=True, language="en")
    for person in (UUID(int=2), None):
        refused = plan_of_answer_to_offer(pressing(), rule, person, always=True, language="en")
        assert refused.settles is None
        assert refused.said == "Somebody else was asked that; nothing was changed."
