"""A wish to be reminded goes to one butler, whole: its words are neither a fact of another nor divided."""

from __future__ import annotations

import pytest

from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.rules.router import RulesRouter
from tests.unit.routing.test_rules_router import HOUSEHOLD


@pytest.mark.parametrize(
    ("text", "butler"),
    [
        ("remind me to pay the bill tomorrow", "finance"),
        ("Remind me tomorrow to pay the bill of 80 EUR for the dentist", "finance"),
        ("Remind me tomorrow at 8 to call the school", "general"),
        ("Remind me to take my tablets every morning at 8", "health"),
        ("Remind me two days before Clara's birthday to buy a present", "relationship"),
        ("Erinnere mich morgen um 18 Uhr an die Mülltonnen", "general"),
        ("rappelle-moi de payer le loyer le 1er de chaque mois", "finance"),
        ("stop the tablets reminder", "health"),
        ("which reminders do I have?", "general"),
    ],
)
def test_a_wish_to_be_reminded_goes_whole_to_one_butler(text: str, butler: str) -> None:
    [call] = RulesRouter().decide(RoutingMessage(text, "telegram"), HOUSEHOLD).calls
    assert (call.butler, call.prompt) == (butler, text)
