"""What becomes of an edit: whom it is told to, who lets go of what, and when it is only recorded."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from butler_contracts.former import SupersedesV1
from butler_contracts.stored import stored
from butler_kit.time import new_uuid7
from butler_switchboard.dispatch.edits import Edit
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState, Subroute
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from tests.unit.switchboard.dispatch.build import NOW, branch, error, message, plan

REGISTRY = RegistryView.of(ButlerProfile(name) for name in ("finance", "general", "health"))
FIRST, SECOND, THIRD = (new_uuid7(NOW + timedelta(minutes=minute)) for minute in range(3))
WORDS = "pay the gas bill and book the flight"


def version(
    *branches: Subroute, request: Any = FIRST, text: str = WORDS, finished: bool = True, **more: Any
) -> RequestState:
    """A version that was routed to the branches' targets."""
    said = replace(message(finished=NOW if finished else None, **more), request_id=request, text=text)
    targets = tuple(PlannedTarget(one.position, one.segment_id, one.target, text) for one in branches)
    return RequestState(said, replace(plan(), targets=targets), branches)


def moved(state: RequestState, *to: str) -> RequestState:
    """The same version, in which its only butler was to let go of what it had."""
    assert state.plan is not None
    parts = [{"request_id": str(FIRST), "segment_id": "s1"}]
    told = replace(state.plan.targets[0], supersedes={"parts": parts, "moved_to": list(to)})
    return replace(state, plan=replace(state.plan, targets=(told,)))


def edit(*versions: RequestState, text: str = "pay 66 for gas", **more: Any) -> Edit:
    return Edit(version(request=THIRD, text=text, finished=False, **more), versions)


def told(made: Plan) -> dict[str, SupersedesV1 | None]:
    return {
        one.butler: stored(SupersedesV1, one.supersedes) if one.supersedes else None for one in made.targets
    }


def parts(given: SupersedesV1 | None) -> list[tuple[Any, str]]:
    return [(part.request_id, part.segment_id) for part in given.parts] if given else []


def test_the_butler_that_had_the_first_is_told_which_part_of_it_the_edit_replaces():
    made = edit(version(branch(1, "finance", "ok"))).told_to_holders(plan("finance"), REGISTRY)
    [target] = made.targets
    assert target.prompt == "for finance"
    assert parts(told(made)["finance"]) == [(FIRST, "s1")]
    assert told(made)["finance"].moved_to == ()  # type: ignore[union-attr]


def test_an_edit_of_an_edit_replaces_both_the_newest_first():
    first, second = version(branch(1, "finance", "ok")), version(branch(2, "finance", "ok"), request=SECOND)
    made = edit(second, first).told_to_holders(plan("finance"), REGISTRY)
    assert parts(told(made)["finance"]) == [(SECOND, "s2"), (FIRST, "s1")]


def test_a_text_that_is_anothers_now_is_taken_from_the_one_and_given_to_the_other():
    made = edit(version(branch(1, "finance", "ok"))).told_to_holders(plan("health"), REGISTRY)
    assert [(one.position, one.segment_id, one.butler) for one in made.targets] == [
        (1, "s1", "health"),
        (2, "s2", "finance"),
    ]
    assert told(made)["health"] is None
    gone = told(made)["finance"]
    assert parts(gone) == [(FIRST, "s1")]
    assert gone is not None
    assert gone.moved_to == ("health",)


def test_who_has_let_go_of_it_is_not_asked_to_again_and_is_asked_again_where_that_failed():
    first = version(branch(1, "finance", "ok"))
    done = moved(version(branch(1, "finance", "ok"), request=SECOND), "health")
    assert list(told(edit(done, first).told_to_holders(plan("health"), REGISTRY))) == ["health"]
    failed = moved(version(branch(1, "finance", "error", error=error()), request=SECOND), "health")
    assert list(told(edit(failed, first).told_to_holders(plan("health"), REGISTRY))) == ["health", "finance"]


@pytest.mark.parametrize("reason", ["ambiguous", "classification_failed:timeout", "invalid_output:no"])
def test_an_edit_that_alone_is_not_clear_stays_with_who_understood_the_first(reason: str):
    unsure = replace(plan("general"), fallback=True, reason=reason)
    made = edit(version(branch(1, "finance", "ok"))).told_to_holders(unsure, REGISTRY)
    [target] = made.targets
    assert (target.butler, target.prompt, made.reason) == ("finance", "pay 66 for gas", f"edit_of:{FIRST}")
    assert parts(told(made)["finance"]) == [(FIRST, "s1")]


def test_of_several_that_had_the_first_none_is_given_a_text_that_nobody_understands():
    unsure = replace(plan("general"), fallback=True, reason="ambiguous")
    first = version(branch(1, "finance", "ok"), branch(2, "health", "ok"))
    made = edit(first).told_to_holders(unsure, REGISTRY)
    assert [one.butler for one in made.targets] == ["general", "finance", "health"]
    assert [bool(one and one.moved_to) for one in told(made).values()] == [False, True, True]


@pytest.mark.parametrize(
    ("ended", "has_it"),
    [
        (branch(1, "health", "ok"), True),
        (branch(1, "health", "started"), True),
        (branch(1, "health", "pending"), True),
        (branch(1, "health", "skipped"), False),
        (branch(1, "health", "error", error=error()), False),
        (branch(1, "health", "error", error=error("timeout"), accepted_at=NOW), True),
        (branch(1, "health", "error", error=error(), accepted_at=NOW, response={"status": "error"}), False),
        (branch(1, "health", "error", error=error("timeout"), accepted_at=NOW, late_ok=True), True),
    ],
    ids=["done", "at it", "to come", "skipped", "never taken", "silent", "refused", "late"],
)
def test_only_who_may_have_something_of_the_first_lets_go_of_it(ended: Subroute, has_it: bool):
    made = edit(version(ended)).told_to_holders(plan("finance"), REGISTRY)
    assert ("health" in told(made)) is has_it


def test_whose_turn_it_is_again_is_told_of_what_failed_too_since_that_may_be_replayed():
    first = version(branch(1, "finance", "error", error=error()), state="errored")
    assert parts(told(edit(first).told_to_holders(plan("finance"), REGISTRY))["finance"]) == [(FIRST, "s1")]


def test_nothing_changes_while_who_had_the_first_may_get_nothing():
    held = RegistryView.of(
        [ButlerProfile("finance", eligible=False, barred_because="held"), *REGISTRY.butlers[1:]]
    )
    made = edit(version(branch(1, "finance", "ok"))).told_to_holders(plan("health"), held)
    assert made.targets == ()
    assert made.error is not None
    assert made.error.message.startswith("finance (held) has the message as it was")


def test_an_edit_without_another_word_is_recorded_unless_the_former_failed():
    same = version(branch(1, "finance", "ok"))
    assert edit(same, text=WORDS).recorded_as == f"edit_without_change:{FIRST}"
    assert edit(same).recorded_as is None
    failed = version(branch(1, "finance", "error", error=error()), state="errored")
    assert edit(failed, text=WORDS).recorded_as is None


def test_the_words_of_the_first_are_a_change_when_an_edit_came_between():
    first = version(branch(1, "finance", "ok"))
    second = version(branch(1, "finance", "ok"), request=SECOND, text="pay 66 for gas")
    assert edit(second, first, text=WORDS).recorded_as is None


def test_a_stranger_changes_nothing_that_was_finished_and_adds_to_what_was_not():
    finished = edit(version(branch(1, "finance", "ok")), reply_policy="owner")
    assert finished.recorded_as == f"edit_of_finished:{FIRST}"
    running = edit(version(branch(1, "finance", "started"), finished=False), reply_policy="owner")
    assert running.recorded_as is None
    assert told(running.told_to_holders(plan("finance"), REGISTRY)) == {"finance": None}


def test_a_strangers_mail_that_supersedes_another_is_a_mail_of_its_own():
    first = version(branch(1, "finance", "ok"))
    mail = edit(first, channel="email", reply_policy="owner")
    assert mail.recorded_as is None
    assert told(mail.told_to_holders(plan("finance"), REGISTRY)) == {"finance": None}


def test_a_former_version_that_is_not_routed_goes_on_first():
    unrouted = replace(version(finished=False), plan=None)
    assert edit(unrouted).comes_too_early
    assert not edit(version(branch(1, "finance", "started"), finished=False)).comes_too_early
    assert not edit(replace(unrouted, message=version().message)).comes_too_early


def test_without_a_thread_the_former_version_ends_first():
    made = edit(version(branch(1, "finance", "started"), finished=False))
    context = made.state.message.context.model_copy(update={"source_thread_identity": None})
    unordered = replace(made.state, message=replace(made.state.message, context=context))
    assert Edit(unordered, made.versions).comes_too_early


def test_a_message_that_nobody_had_is_routed_as_if_it_were_new():
    nobody = replace(version(), plan=None)
    routed = plan("finance")
    assert edit(nobody).told_to_holders(routed, REGISTRY) == routed
    assert Edit(nobody, ()).told_to_holders(routed, REGISTRY) == routed
