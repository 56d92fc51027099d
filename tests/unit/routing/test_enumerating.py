"""A list of matters that its author numbered goes item by item to whom each is about, by mail as by chat (SWB-03.2)."""

from __future__ import annotations

import pytest

from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.rules.router import RulesRouter
from tests.unit.routing.test_follow_ups import HOUSEHOLD

ROUTER = RulesRouter()
MATTERS = """Hello butlers,

1. Paid 22.50 EUR for the taxi
2. Tom's birthday is on 9 June
3. Blood pressure 127/80
4. Add coffee to the shopping list
5. Hotel Astoria in Rome, 3-6 May 2027

Thanks, Mara"""


def calls(text: str, channel: str = "telegram", subject: str | None = None) -> dict[str, str]:
    decision = ROUTER.decide(RoutingMessage(text, channel, subject), HOUSEHOLD)
    return {call.butler: call.prompt for call in decision.calls}


@pytest.mark.parametrize(("channel", "subject"), [("telegram", None), ("email", "A few things")])
def test_each_numbered_matter_is_its_butlers(channel: str, subject: str | None) -> None:
    found = calls(MATTERS, channel, subject)
    assert set(found) == {"finance", "relationship", "health", "general", "travel"}
    assert found["relationship"] == "2. Tom's birthday is on 9 June"
    assert found["finance"] == "1. Paid 22.50 EUR for the taxi"


@pytest.mark.parametrize("heading", ["Packing list:", "Einkaufsliste:", "La liste:"])
def test_what_a_heading_is_about_its_items_are(heading: str) -> None:
    text = f"{heading}\n- blood pressure tablets\n- plane tickets\n- birthday card for Tom\n- towels"
    assert len(calls(text)) == 1


def test_two_dashes_are_no_list() -> None:
    text = "Paid the hotel\n- it was 80 EUR\n- and nice"
    assert len(calls(text, "email", "Hotel")) == 1
