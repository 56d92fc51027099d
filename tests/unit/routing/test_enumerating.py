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


@pytest.mark.spec("SWB-03.2")
@pytest.mark.parametrize("channel", ["email", "api"])
def test_of_a_long_list_no_matter_and_no_part_of_one_is_left_out(channel: str) -> None:
    room = "5. Hotel Astoria in Rome, 3-6 May 2027" + ", a room with a view of the river" * 200
    text = f"{MATTERS[: MATTERS.index('5.')]}{room}\n6. Blood pressure 131/82"
    found = calls(text, channel)
    assert set(found) == {"finance", "relationship", "health", "general", "travel"}
    assert room in found["travel"]
    assert found["general"].split("\n")[0] == "4. Add coffee to the shopping list"
    assert "6. Blood pressure 131/82" in found["general"]


@pytest.mark.spec("SWB-03.2")
def test_what_is_beyond_the_judged_part_of_a_divided_message_is_generals_and_begins_with_a_line() -> None:
    items = ["Paid 22.50 EUR for the taxi", "Tom's birthday is on 9 June", "Blood pressure 127/80"] * 70
    text = "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))
    found = calls(text)
    assert {"finance", "relationship", "health", "general"} == set(found)
    assert found["general"].startswith(("1", "2"))
    assert "\n210. Blood pressure 127/80" in found["general"]
    said = "\n".join(found.values())
    assert all(f"{n}. {item}" in said for n, item in enumerate(items, 1))


@pytest.mark.parametrize("between", ["Thanks!\n", "--\n", "__________\n"])
def test_in_a_chat_what_follows_thanks_or_a_line_of_dashes_is_its_butlers_too(between: str) -> None:
    listed = (
        "1. Paid 22.50 EUR for the taxi\n2. Blood pressure 127/80\n3. Hotel Astoria in Rome, 3-6 May 2027"
    )
    found = calls(f"{listed}\n{between}Tom's birthday is on 9 June")
    assert set(found) == {"finance", "health", "travel", "relationship"}
    assert found["relationship"] == "Tom's birthday is on 9 June"


def test_a_postscript_under_a_mails_signature_is_its_butlers() -> None:
    text = MATTERS.replace("Thanks, Mara", "Thanks!\nMara\n\nPS: Paid 12 EUR for the parking")
    assert "Paid 12 EUR for the parking" in calls(text, "email", "A few things")["finance"]


@pytest.mark.parametrize("channel", ["telegram", "email"])
def test_a_name_under_thanks_is_nobodys(channel: str) -> None:
    found = calls(MATTERS.replace("Thanks, Mara", "Thanks!\nMara"), channel)
    assert not any("Mara" in prompt for prompt in found.values())
