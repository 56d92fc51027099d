"""What a stopped session had called outside, in the operator's words."""

from __future__ import annotations

from typing import Any

import pytest

from butler_switchboard.dispatch.recall import called_outside


@pytest.mark.parametrize(
    "answer",
    [{}, {"status": "cancelled"}, {"called": []}, {"called": "lamp_on"}, {"called": [7]}, {"called": None}],
)
def test_where_nothing_was_called_nothing_is_said(answer: dict[str, Any]) -> None:
    assert called_outside(answer) is None


def test_what_was_called_is_named_and_whether_an_answer_was_seen() -> None:
    calls = [
        {"server": "home", "tool": "lamp_on", "state": "returned"},
        {"server": "home", "tool": "door_open", "state": "begun"},
    ]
    assert called_outside({"called": calls}) == (
        "; called outside before: home lamp_on, home door_open (no answer seen)"
    )


def test_of_very_many_some_are_named_and_the_rest_is_counted() -> None:
    calls = [{"server": "home", "tool": f"t{n}", "state": "returned"} for n in range(12)]
    said = called_outside({"called": calls})
    assert said is not None
    assert said.endswith("home t9, 2 more")
    assert "\n" not in str(called_outside({"called": [{"server": "a\nb", "tool": "c", "state": "returned"}]}))
