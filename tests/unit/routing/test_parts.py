"""What a part of a message is given of the rest: its own lines, and a day only where that leads (SWB-03.2)."""

from __future__ import annotations

import pytest

from butler_switchboard.routing.message import Segment
from butler_switchboard.routing.rules.carry import carried


def test_the_parts_of_a_message_keep_their_lines():
    text = "Hello,\n\n1. Paid the taxi\n2. Call Tom"
    ranges = ((0, 6), (8, 24), (25, 36))
    assert Segment(char_ranges=ranges).excerpt(text) == text
    assert Segment(char_ranges=((11, 15), (20, 24))).excerpt(text) == "Paid taxi"


@pytest.mark.parametrize(
    ("before", "days"),
    [
        ("Yesterday I was at the doctor.", ("Yesterday",)),
        ("Hello. Yesterday:", ("Yesterday",)),
        ("Tom's birthday is on 9 June.", ()),
        ("1. Met Jonas yesterday", ()),
    ],
)
def test_only_a_day_that_leads_is_carried_to_the_next_part(before: str, days: tuple[str, ...]):
    assert carried(before, "paid 30 EUR for the taxi") == days
