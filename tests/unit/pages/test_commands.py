"""Commands to copy do what their label says: none is offered that is always refused."""

from __future__ import annotations

from butler_dashboard.pages.commands import backfill_actions, butler_actions, delivery_actions
from butler_dashboard.pages.words import intent_word
from tests.support import dashboard_samples as samples


def test_what_a_manifest_says_is_taken_over_by_a_household_that_is_up():
    held = samples.butler(manifest_hold_reason="on a journey")
    for action in (*butler_actions(held), *backfill_actions(samples.backfill())):
        assert action.here == "butlers restart", "`butlers up` refuses a household that is up, as it is here"


def test_a_reaction_that_failed_is_not_offered_again():
    assert delivery_actions(samples.delivery(status="failed", intent="react")) == []
    [again] = delivery_actions(samples.delivery(status="failed"))
    assert again.here.startswith("butlers replay ")


def test_what_somebody_decided_on_is_not_offered_again():
    for status in ("failed", "uncertain"):
        assert delivery_actions(samples.delivery(status=status))
        assert delivery_actions(samples.delivery(status=status, settled_at=samples.at(60))) == []


def test_a_delivery_is_called_what_it_is_to_the_person():
    assert [intent_word(one) for one in ("reply", "send", "react")] == ["answer", "message", "reaction"]
