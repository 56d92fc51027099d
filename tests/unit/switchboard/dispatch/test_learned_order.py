"""What was learned decides after every policy and before any model (D71, ADR 0111)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.learning.deciding import LearnedRule, Teachings
from tests.unit.switchboard.dispatch.test_undecided import Clock, Model, Registry, household, planner, waiting

TEXT = "Paid the plumber 40 euro"
RULE = LearnedRule(UUID(int=3), UUID(int=1), "home", (TEXT,), "in_force")


async def taught(_: RequestState) -> Teachings:
    return Teachings(rules=(RULE,))


def written(text: str = TEXT, **more: Any) -> RequestState:
    state = waiting()
    context = state.message.context.model_copy(update=more)
    return replace(state, message=replace(state.message, text=text, context=context))


@pytest.fixture
def model() -> Model:
    return Model()


def routes(model: Model, **there: bool) -> Any:
    seen = Registry(household(**({"finance": True, "general": True, "home": True} | there)))
    return planner(model, seen, Clock(), taught)


async def test_what_was_learned_decides_and_no_model_is_asked(model: Model) -> None:
    plan = await routes(model).plan(written())
    assert [one.butler for one in plan.targets] == ["home"]
    assert (plan.decided_by, plan.reason, model.sessions) == ("policy", f"learned_rule:{RULE.rule_id}", 0)


async def test_a_triage_rule_is_never_beaten(model: Model) -> None:
    told = {"triage_decision": "route_to", "triage_target": "finance", "triage_rule_id": "r1"}
    plan = await routes(model).plan(written(**told))
    assert ([one.butler for one in plan.targets], plan.reason) == (["finance"], "policy")


@pytest.mark.parametrize(
    ("state", "there"),
    [
        (written(sender_class="other"), {}),
        (written("I called the electrician about the lamps"), {}),
        (written(), {"home": False}),
    ],
    ids=["a stranger's", "another thing", "its butler may not be chosen"],
)
async def test_where_nothing_learned_decides_the_model_does(
    model: Model, state: RequestState, there: dict[str, bool]
) -> None:
    plan = await routes(model, **there).plan(state)
    assert ([one.butler for one in plan.targets], model.sessions) == (["finance"], 1)
