"""Which answer counts where butlers contradict each other, and what whoever wrote is told of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.claims import ClaimV1
from butler_switchboard.dispatch.arbitration import Claimed, arbitrate, contradictions_of
from butler_switchboard.dispatch.disclosing import disclosed
from butler_switchboard.dispatch.model import Plan, RequestState
from butler_switchboard.dispatch.outcome import conclude
from butler_switchboard.dispatch.records import plan_from_json, plan_to_json
from tests.unit.switchboard.dispatch.build import branch, error, plan, request

CLAIMS = st.builds(
    Claimed,
    butler=st.sampled_from(["finance", "general", "health"]),
    subrequest_id=st.integers(1, 4).map(lambda number: UUID(int=number)),
    priority=st.integers(-1, 1),
    claim=st.builds(
        ClaimV1,
        subject=st.sampled_from(["dentist", "Dentist", "rent"]),
        value=st.sampled_from(["2026-12-01", "2026-12-03"]),
        decidable=st.sampled_from([True, True, True, False]),
    ),
)


def claimed(
    value: str, butler: str = "general", *, priority: int = 0, number: int = 1, **more: Any
) -> Claimed:
    return Claimed(butler, UUID(int=number), priority, ClaimV1(subject="dentist", value=value, **more))


def answered(*parts: tuple[str, int, object], **more: Any) -> RequestState:
    """A request whose butlers have answered, each with its priority and its claims."""
    made = plan(*(butler for butler, _, _ in parts))
    targets = tuple(replace(one, precedence=part[1]) for one, part in zip(made.targets, parts, strict=True))
    branches = [
        branch(position, butler, "ok", response={"result": {"claims": claims}})
        for position, (butler, _, claims) in enumerate(parts, start=1)
    ]
    return request(replace(made, targets=targets), *branches, **more)


def says(value: str, subject: str = "dentist", **more: Any) -> list[dict[str, Any]]:
    return [{"subject": subject, "value": value, **more}]


@pytest.mark.spec("SWB-29.1")
def test_the_highest_priority_wins_then_the_first_name_then_the_first_subrequest() -> None:
    lower, higher = claimed("Tuesday", "finance"), claimed("Thursday", "health", priority=1, number=2)
    [found] = arbitrate([lower, higher])
    assert (found.winner, found.by, found.losers) == (higher, "priority", (lower,))

    [found] = arbitrate([replace(higher, priority=0), lower])
    assert (found.winner, found.by) == (lower, "name")

    second = claimed("Thursday", "finance", number=2)
    [found] = arbitrate([second, lower])
    assert (found.winner, found.by, found.losers) == (lower, "subrequest", (second,))


@pytest.mark.spec("SWB-29.1")
@given(st.lists(CLAIMS, max_size=8).flatmap(lambda said: st.tuples(st.just(said), st.permutations(said))))
def test_the_winner_is_the_same_in_whatever_order_the_answers_came(
    orders: tuple[list[Claimed], list[Claimed]],
) -> None:
    first, second = (arbitrate(order) for order in orders)
    assert first == second
    assert disclosed(first) == disclosed(second)
    for found in first:
        assert (found.winner is None) == (found.by is None)
        assert found.losers
        if found.winner is not None:
            assert all(found.winner.rank <= other.rank for other in found.claimed)
            assert all(other.claim.has != found.winner.claim.has for other in found.losers)


def test_who_agrees_who_speaks_of_something_else_and_who_is_alone_contradicts_nobody() -> None:
    one = claimed("Tuesday", "finance")
    other = Claimed("health", UUID(int=2), 0, ClaimV1(subject="vet", value="Thursday"))
    assert arbitrate([one, claimed("TUESDAY ", "health", number=2)]) == ()
    assert arbitrate([one, other]) == ()
    assert arbitrate([one, replace(one, claim=ClaimV1(subject="dentist", value="Thursday"))]) == ()


@pytest.mark.spec("SWB-29.1")
def test_of_a_dose_and_of_a_butler_that_contradicts_itself_nobody_is_right() -> None:
    low, high = claimed("5 ml", priority=9, decidable=False), claimed("10 ml", "health", number=2)
    [found] = arbitrate([low, high])
    assert (found.winner, found.losers) == (None, (low, high))
    itself = [
        claimed("Tuesday", "finance"),
        claimed("Friday", "finance"),
        claimed("Thursday", "health", number=2),
    ]
    [found] = arbitrate(itself)
    assert found.winner is None


@pytest.mark.spec("SWB-29.1")
def test_what_counts_is_said_as_that_and_what_another_has_is_not_hidden() -> None:
    state = answered(
        ("finance", 0, says("2026-12-01", said="“Dentist on Tuesday” (1 December)", language="en")),
        ("health", 5, says("2026-12-03")),
    )
    assert disclosed(contradictions_of(state)) == (
        "I go by what health has: 2026-12-03. finance has something else: “Dentist on Tuesday” (1 December)."
    )


@pytest.mark.spec("SWB-29.1")
def test_where_nobody_is_right_all_are_said_and_that_they_contradict_each_other() -> None:
    dose: dict[str, Any] = {"decidable": False, "language": "de"}
    state = answered(("health", 5, says("5 ml", **dose)), ("kids", 0, says("10 ml", **dose)))
    told = disclosed(contradictions_of(state))
    assert (
        told == "Das ist nicht dasselbe, und ich entscheide nicht: health: 5 ml; kids: 10 ml. Bitte prüfen."
    )


def test_a_part_that_failed_claims_nothing_and_one_alone_contradicts_nobody() -> None:
    state = answered(("finance", 0, says("a")), ("health", 0, says("b")))
    failed = replace(state.subroutes[1], state=branch(2, "health", "error").state, error=error())
    assert contradictions_of(replace(state, subroutes=(state.subroutes[0], failed))) == ()


@pytest.mark.spec("SWB-29.1")
def test_winner_and_losers_are_kept_with_the_request_and_told_where_the_answer_is_read() -> None:
    state = answered(("finance", 0, says("a")), ("health", 5, says("b")), ("travel", 0, []), channel="api")
    outcome = conclude(state)
    kept = {one["target_butler"]: one.get("claims") for one in outcome.dispatch_outcomes}
    assert kept == {
        "finance": [{"subject": "dentist", "value": "a", "standing": "lost", "decided_by": "priority"}],
        "health": [{"subject": "dentist", "value": "b", "standing": "won", "decided_by": "priority"}],
        "travel": None,
    }
    assert outcome.aggregated_reply is not None
    assert "I go by what health has: b." in outcome.aggregated_reply["text"]
    assert [found.by for found in outcome.contradictions] == ["priority"]


@pytest.mark.spec("SWB-29.1")
def test_the_plan_that_was_committed_decides_and_not_what_the_registry_says_later() -> None:
    state = answered(("finance", 3, says("a")), ("health", 0, says("b")))
    assert state.plan is not None
    read_again = replace(state, plan=plan_from_json(plan_to_json(state.plan)))
    assert contradictions_of(read_again) == contradictions_of(state)
    [found] = contradictions_of(read_again)
    assert found.winner is not None
    assert found.winner.butler == "finance"


def test_a_plan_of_the_release_before_has_no_priorities_and_is_decided_by_names() -> None:
    state = answered(("general", 0, says("a")), ("finance", 0, says("b")))
    assert state.plan is not None
    document = plan_to_json(state.plan)
    for target in document["targets"]:
        del target["precedence"]
    old: Plan = plan_from_json(document)
    [found] = contradictions_of(replace(state, plan=old))
    assert found.winner is not None
    assert (found.winner.butler, found.by) == ("finance", "name")
