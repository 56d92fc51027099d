"""A request's page and its trace say how its parts waited for each other."""

from __future__ import annotations

import pytest

from butler_cli.client.life import life_of
from butler_cli.output.steps import steps_of as traced
from butler_dashboard.pages.walk import steps_of
from tests.support import dashboard_samples as samples
from tests.support import request_lives as lives
from tests.support.dashboard_samples import NOW

TWO = "one after another, each only if the one before it succeeded"


@pytest.mark.parametrize(("mode", "shown"), [("conditional", True), ("parallel", False)])
def test_the_page_says_which_part_waited_for_which(mode: str, shown: bool) -> None:
    life = samples.life()
    assert life.plan is not None
    target = life.plan.targets[0]
    plan = life.plan.model_copy(update={"fanout_mode": mode, "targets": (target, target)})
    notes = [note for step in steps_of(life.model_copy(update={"plan": plan}), NOW) for note in step.notes]
    assert (TWO in notes) is shown


def test_the_trace_says_it_too() -> None:
    plan = lives.plan(("finance", "pay"), ("health", "note"), fanout_mode="conditional")
    life = life_of(lives.life(plan=plan))
    notes = [note for step in traced(life, now=NOW) for note in step.notes]
    assert f"2 parts, {TWO}" in notes
