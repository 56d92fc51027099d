"""Whether a butler answers a message alone (ADR 0126)."""

from __future__ import annotations

import pytest

from butler_switchboard.dispatch.answers import answers_alone
from butler_switchboard.dispatch.model import RequestState
from tests.unit.switchboard.dispatch.build import branch, plan, request


@pytest.mark.parametrize(
    ("state", "alone"),
    [
        (request(plan("finance"), branch(1, "finance", "accepted")), True),
        (request(plan("finance"), branch(1, "finance", "error"), branch(1, "finance", attempt=2)), True),
        (request(plan("finance", "health"), branch(1, "finance"), branch(2, "health")), False),
        (request(plan("finance"), branch(1, "finance", "ok"), branch(1, "health", attempt=2)), False),
        (request(plan("finance", said="Ask Ada first."), branch(1, "finance")), False),
        (request(plan("health"), branch(1, "health")), False),
        (request(None), False),
    ],
    ids=["one", "tried again", "two parts", "moved", "switchboard too", "another's", "not routed"],
)
def test_a_butler_answers_alone_where_nobody_else_had_or_has_any_of_the_message(
    state: RequestState, alone: bool
) -> None:
    assert answers_alone(state, "finance") is alone
