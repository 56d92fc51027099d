"""A request's page says where rules answered in a model's place, and why."""

from __future__ import annotations

from butler_dashboard.pages.walk import steps_of
from tests.support import dashboard_samples as samples
from tests.support.dashboard_samples import NOW


def test_the_page_says_that_another_family_answered_and_why() -> None:
    said = {"stand_in": "rules", "stand_in_reason": "model_budget_person_day_cents"}
    life = samples.life(subroutes=(samples.subroute("travel", "s1", 0, **said),))
    notes = [note for step in steps_of(life, NOW) for note in step.notes]
    assert "rules stood in for the model (budget person day cents)" in notes
    usual = samples.life(subroutes=(samples.subroute("travel", "s1", 0),))
    assert not [note for step in steps_of(usual, NOW) for note in step.notes if "stood in" in note]
