"""What an operation did is said in one line, with the command that undoes it where there is one."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.operations.words import said
from tests.unit.operator.operations.test_orders import operation

PLACE = {"target_identity": "ben@example.org", "channel": "email", "suppression_id": "s-1"}


@pytest.mark.parametrize(
    ("action", "target", "answer", "told"),
    [
        (
            "suppress",
            {"kind": "Channel", "name": "email"},
            PLACE,
            "nothing is sent to ben@example.org on email unasked; `kubectl butler suppressions end s-1` ends that",
        ),
        ("end", {"kind": "Suppression", "id": "s-1"}, PLACE, "ben@example.org on email is written to again"),
        (
            "end",
            {"kind": "LearnedRule", "id": "l-1"},
            {"butler": "finance"},
            "such messages do not go to finance by rule any more",
        ),
        (
            "end",
            {"kind": "ApprovalRule", "id": "r-1"},
            {},
            "rule r-1 is ended; what it allowed waits for an approval again",
        ),
        (
            "approve",
            {"kind": "Approval", "id": "c-1"},
            {"kind": "call", "rule": {"expires_at": "2026-04-01T00:00:00Z"}},
            "call c-1 is approved; its butler makes it, once, in the next minutes; "
            "the same needs no approval until 2026-04-01T00:00:00Z",
        ),
        ("deny", {"kind": "Approval", "id": "c-1"}, {"kind": "call"}, "call c-1 is denied; it is never made"),
        (
            "deny",
            {"kind": "Approval", "id": "d-1"},
            {"kind": "message"},
            "delivery d-1 is denied; it is never sent",
        ),
        (
            "reset",
            {"kind": "ServiceLevel", "name": "email"},
            {"was": "tight"},
            "the service level of email is let go; it was tight",
        ),
        (
            "reset",
            {"kind": "Circuit", "name": "email"},
            {"was": "open"},
            "the circuit of email is closed; it was open",
        ),
    ],
)
def test_what_was_done_is_said(
    action: str, target: dict[str, str], answer: dict[str, Any], told: str
) -> None:
    params = {"recipient": "ben@example.org"} if action == "suppress" else {}
    assert said(operation(action, target, **params), answer) == told
