"""What a session's tools take and refuse."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest

from butler_contracts.errors import OverloadRejected, ValidationFailed
from butler_kit.runtime import SessionTool, ToolBelt

ROUTE = SessionTool(
    "route_to_butler",
    "Route a part of the message.",
    {
        "type": "object",
        "properties": {"butler": {"enum": ["finance", "health"]}, "prompt": {"type": "string"}},
        "required": ["butler", "prompt"],
        "additionalProperties": False,
    },
)

ANYTHING = SessionTool(
    "anything",
    "Takes anything.",
    {"type": "object", "properties": {"of": {}}, "additionalProperties": False},
)


async def test_accepted_calls_are_in_the_ledger_in_their_order():
    belt = ToolBelt([ROUTE])
    await belt.call("route_to_butler", {"butler": "finance", "prompt": "pay"})
    answer = await belt.call("route_to_butler", {"butler": "health", "prompt": "walk"})
    assert answer == {"status": "recorded"}
    assert [call.args["butler"] for call in belt.ledger] == ["finance", "health"]


@pytest.mark.parametrize(
    ("tool", "args", "said"),
    [
        ("send_money", {}, "its tools: route_to_butler"),
        ("route_to_butler", {"butler": "finance"}, "'prompt' is a required property"),
        ("route_to_butler", {"butler": "root", "prompt": ""}, "butler"),
        ("route_to_butler", {"butler": "finance", "prompt": "x", "as": "admin"}, "Additional properties"),
    ],
)
async def test_a_refused_call_leaves_no_trace_in_the_ledger(tool, args, said):
    belt = ToolBelt([ROUTE])
    with pytest.raises(ValidationFailed, match=said):
        await belt.call(tool, args)
    assert belt.ledger == ()
    assert belt.refused == 1


async def test_what_is_recorded_can_be_stored_whatever_a_model_wrote() -> None:
    belt = ToolBelt([ROUTE, ANYTHING])
    await belt.call("route_to_butler", {"butler": "finance", "prompt": "pay\x00 for Mia \ud83c"})
    await belt.call("anything", {"of": [{"a\x00": ["\udfff", 1.5, None, "as it is 🎂"]}]})
    assert [dict(call.args) for call in belt.ledger] == [
        {"butler": "finance", "prompt": "pay\ufffd for Mia \ufffd"},
        {"of": [{"a\ufffd": ["\ufffd", 1.5, None, "as it is 🎂"]}]},
    ]


async def test_a_number_that_is_none_and_data_without_end_are_refused() -> None:
    belt, deep = ToolBelt([ANYTHING]), json.loads("[" * 900 + "]" * 900)
    for value in (math.nan, [math.inf], deep):
        with pytest.raises(
            ValidationFailed, match="anything: a number that is none, or data nested too deeply"
        ):
            await belt.call("anything", {"of": value})
    assert (belt.ledger, belt.refused) == ((), 3)


async def test_calls_past_the_maximum_are_refused():
    belt = ToolBelt([ROUTE], max_calls=1)
    await belt.call("route_to_butler", {"butler": "finance", "prompt": "pay"})
    with pytest.raises(OverloadRejected):
        await belt.call("route_to_butler", {"butler": "health", "prompt": "walk"})
    assert len(belt.ledger) == 1


async def test_a_call_after_the_session_has_ended_is_refused():
    belt = ToolBelt([ROUTE])
    belt.seal()
    with pytest.raises(ValidationFailed, match="session is over"):
        await belt.call("route_to_butler", {"butler": "finance", "prompt": "pay"})


async def test_a_recorded_call_does_not_follow_its_callers_changes():
    belt = ToolBelt([ROUTE])
    args = {"butler": "finance", "prompt": "pay"}
    await belt.call("route_to_butler", args)
    args["butler"] = "health"
    assert belt.ledger[0].args["butler"] == "finance"


def test_an_open_schema_is_refused():
    with pytest.raises(ValueError, match="additionalProperties"):
        SessionTool("anything", "", {"type": "object"})


async def test_a_call_that_does_something_binds_its_session_even_where_it_is_refused() -> None:
    async def fails(_: Mapping[str, Any]) -> str:
        raise ValidationFailed("no answer")

    closed = {"type": "object", "properties": {}, "additionalProperties": False}
    outer = ToolBelt()
    inner = ToolBelt(
        [SessionTool("look", "l", closed, fails), SessionTool("act", "a", closed, fails, acts=True)],
        within=outer,
    )
    with pytest.raises(ValidationFailed):
        await inner.call("look", {})
    with pytest.raises(ValidationFailed):
        await inner.call("act", {"more": 1})
    before = (inner.binds, outer.binds)
    with pytest.raises(ValidationFailed):
        await inner.call("act", {})
    assert (before, (inner.binds, outer.binds)) == ((False, False), (True, True))
    assert inner.ledger == ()
