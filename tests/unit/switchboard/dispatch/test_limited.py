"""What a child or a guest may ask (D68, ADR 0100)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.person_settings import LimitsV1, PersonSettings, QuietHoursV1
from butler_switchboard.dispatch.limited import Limited, answered_at_once, limits_of, not_now, within_limits
from butler_switchboard.dispatch.model import AbortPolicy, FanoutMode, Plan, PlannedTarget
from butler_switchboard.routing.everybody import ASKED_OF_ALL
from butler_switchboard.routing.memory import ASKED_OF_MEMORIES, FORGOTTEN_BY_ALL

BERLIN = ZoneInfo("Europe/Berlin")


def plan(*butlers: str, reason: str = "routed") -> Plan:
    targets = tuple(PlannedTarget(n, f"s{n}", name, "words") for n, name in enumerate(butlers, start=1))
    return Plan(uuid4(), targets, "rules", "", "", "runtime", 0.9, False, reason)


def somebody(limits: LimitsV1, language: str = "en") -> Limited:
    return Limited(limits, BERLIN, language, "Mara")  # type: ignore[arg-type]


def test_an_adult_has_the_limits_that_are_set_and_a_guest_asks_general_alone() -> None:
    assert limits_of(PersonSettings()) is None
    adult = LimitsV1(ask_first=("finance",))
    assert limits_of(PersonSettings(limits=adult)) == adult
    guest = limits_of(PersonSettings(standing="guest"))
    assert guest is not None
    assert guest.butlers == ("general",)
    child = limits_of(PersonSettings(standing="child"))
    assert child is not None
    assert child.butlers is None


@pytest.mark.parametrize(
    ("language", "said"), [("en", "please ask"), ("de", "frag"), ("fr", "demande"), ("es", "pregunt")]
)
def test_who_may_not_ask_a_butler_is_told_kindly_whom_to_ask(language: str, said: str) -> None:
    found = within_limits(plan("finance"), somebody(LimitsV1(butlers=("general",)), language))
    assert found.targets == ()
    assert found.error is None
    assert found.said is not None
    assert said in found.said
    assert "Mara" in found.said
    assert "finance" not in found.said


def test_the_other_parts_of_a_message_are_done() -> None:
    found = within_limits(plan("general", "finance"), somebody(LimitsV1(butlers=("general",))))
    assert [one.butler for one in found.targets] == ["general"]
    assert found.said is not None


def test_a_question_to_everybody_leaves_them_out_without_a_word() -> None:
    asked = plan("finance", "general", reason=ASKED_OF_ALL)
    found = within_limits(asked, somebody(LimitsV1(butlers=("general",))))
    assert [one.butler for one in found.targets] == ["general"]
    assert found.said is None


def test_whoever_wants_to_be_forgotten_is_heard_by_all_and_whoever_asks_what_is_known_by_theirs() -> None:
    limits = somebody(LimitsV1(butlers=("general",)))
    order = plan("finance", "general", reason=FORGOTTEN_BY_ALL)
    assert within_limits(order, limits) == order
    asked = within_limits(plan("finance", "general", reason=ASKED_OF_MEMORIES), limits)
    assert ([one.butler for one in asked.targets], asked.said) == (["general"], None)


def test_what_hangs_together_is_refused_whole() -> None:
    asked = replace(
        plan("finance", "general"), fanout_mode=FanoutMode.CONDITIONAL, abort_policy=AbortPolicy.STOP
    )
    assert within_limits(asked, somebody(LimitsV1(butlers=("general",)))).targets == ()


def test_what_needs_a_grown_up_first_is_said_so() -> None:
    found = within_limits(plan("travel"), somebody(LimitsV1(ask_first=("travel",))))
    assert found.targets == ()
    assert found.said == "Please talk to Mara about that first; Mara can then tell me what to do."


def test_an_edit_takes_back_what_a_butler_has_though_it_may_not_be_asked_any_more() -> None:
    gone = plan("finance")
    leaving = replace(gone, targets=(replace(gone.targets[0], supersedes={"moved_to": ["general"]}),))
    assert within_limits(leaving, somebody(LimitsV1(butlers=("general",)))) == leaving


def an_edit(*new: str, **more: object) -> Plan:
    """An edit of what finance had, whose words are for others now."""
    made = plan(*new, "finance")
    gone = replace(made.targets[-1], supersedes={"parts": [], "moved_to": list(new)})
    return replace(made, targets=(*made.targets[:-1], gone), **more)  # type: ignore[arg-type]


def letting_go(found: Plan) -> list[tuple[str, list[str]]]:
    return [(one.butler, list((one.supersedes or {})["moved_to"])) for one in found.targets]


@pytest.mark.parametrize(
    "more", [{}, {"fanout_mode": FanoutMode.CONDITIONAL, "abort_policy": AbortPolicy.STOP}]
)
def test_an_edit_that_is_refused_is_still_taken_back_and_names_nobody_who_has_it_now(
    more: dict[str, object],
) -> None:
    found = within_limits(an_edit("health", **more), somebody(LimitsV1(butlers=("general",))))
    assert letting_go(found) == [("finance", ["switchboard"])]
    assert found.said is not None
    assert (found.fanout_mode, found.abort_policy) == (FanoutMode.PARALLEL, AbortPolicy.CONTINUE)


def test_of_an_edit_in_parts_the_butler_that_lets_go_hears_who_really_got_the_words() -> None:
    found = within_limits(an_edit("general", "health"), somebody(LimitsV1(butlers=("general",))))
    assert [one.butler for one in found.targets] == ["general", "finance"]
    assert letting_go(replace(found, targets=found.targets[1:])) == [("finance", ["general"])]


def test_where_a_condition_refuses_the_whole_edit_no_part_of_it_counts_as_moved() -> None:
    edit = an_edit("general", "health", fanout_mode=FanoutMode.CONDITIONAL, abort_policy=AbortPolicy.STOP)
    found = within_limits(edit, somebody(LimitsV1(butlers=("general",))))
    assert letting_go(found) == [("finance", ["switchboard"])]


def test_hours_are_by_their_own_clock_also_over_midnight() -> None:
    day = somebody(LimitsV1(hours=QuietHoursV1(start="07:00", end="20:00")))
    assert not_now(day, datetime(2027, 1, 5, 6, 30, tzinfo=UTC)) is None  # half past seven in Berlin
    said = not_now(day, datetime(2027, 1, 5, 19, 0, tzinfo=UTC))
    assert said is not None
    assert "07:00" in said
    assert "emergency" in said
    night = somebody(LimitsV1(hours=QuietHoursV1(start="20:00", end="01:00")))
    assert not_now(night, datetime(2027, 1, 5, 23, 30, tzinfo=UTC)) is None
    assert not_now(night, datetime(2027, 1, 5, 12, 0, tzinfo=UTC)) is not None


FIRST = LimitsV1(butlers=("general",), ask_first=("travel",))


def test_what_needs_a_grown_up_is_kept_until_they_agree_where_somebody_can_be_asked() -> None:
    asked = plan("travel")
    found = within_limits(asked, somebody(LimitsV1(ask_first=("travel",))), holds=True)
    assert found.held is not None
    assert found.held.targets == (replace(asked.targets[0], away=True),)
    assert (found.targets, found.held.owner, found.waits_for_a_word) == ((), "Mara", True)
    assert found.said == "Please talk to Mara about that first; Mara can then tell me what to do."


def test_the_other_parts_are_done_at_once_and_what_nobody_is_asked_about_is_said() -> None:
    found = within_limits(plan("general", "travel", "finance"), somebody(FIRST), holds=True)
    assert [one.butler for one in found.targets] == ["general"]
    assert found.held is not None
    assert [(one.butler, one.position) for one in found.held.targets] == [("travel", 2)]
    assert found.held.besides == (
        "That is one for Mara, please ask there. I am glad to help you with other things."
    )


def test_where_nothing_may_be_done_at_once_the_owner_is_asked_about_what_they_can_allow() -> None:
    found = within_limits(plan("travel", "finance"), somebody(FIRST), holds=True)
    assert found.held is not None
    assert ([one.butler for one in found.held.targets], found.targets) == (["travel"], ())
    assert found.held.besides is not None


def chained(*butlers: str) -> Plan:
    """Each part is only wanted if the one before it was done."""
    return replace(plan(*butlers), fanout_mode=FanoutMode.CONDITIONAL, abort_policy=AbortPolicy.STOP)


def test_what_hangs_together_is_kept_whole_and_in_its_order() -> None:
    found = within_limits(chained("general", "travel"), somebody(FIRST), holds=True)
    assert found.held is not None
    assert [one.butler for one in found.held.targets] == ["general", "travel"]
    assert (found.targets, found.fanout_mode) == ((), FanoutMode.CONDITIONAL)
    barred = within_limits(chained("finance", "travel"), somebody(FIRST), holds=True)
    assert (barred.held, barred.targets) == (None, ())


def test_of_a_question_to_everybody_nobody_is_asked_about_a_part() -> None:
    found = within_limits(plan("travel", "general", reason=ASKED_OF_ALL), somebody(FIRST), holds=True)
    assert ([one.butler for one in found.targets], found.held, found.said) == (["general"], None, None)


def test_an_edit_that_waits_for_a_word_is_taken_back_where_it_was() -> None:
    found = within_limits(an_edit("travel"), somebody(FIRST), holds=True)
    assert letting_go(found) == [("finance", ["switchboard"])]
    assert found.held is not None
    assert [one.butler for one in found.held.targets] == ["travel"]


def test_who_may_be_in_danger_has_an_answer_from_whom_they_may_not_ask_otherwise() -> None:
    found = answered_at_once(plan("finance", "travel"), somebody(FIRST), "My brother is unconscious")
    assert [(one.butler, one.prompt) for one in found.targets] == [("general", "My brother is unconscious")]
    assert (found.held, found.said) == (None, None)
    mine = plan("general")
    assert answered_at_once(mine, somebody(FIRST), "I cannot breathe") == mine
