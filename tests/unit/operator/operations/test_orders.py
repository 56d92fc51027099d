"""Which call an operation becomes (D4)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.operations.orders import Call, OrderProblem, calls_of
from butler_resources.kinds import ButlerOperation, Connector
from butler_resources.kinds.objects import parse_object

CONNECTOR = parse_object(
    Connector,
    {
        "apiVersion": "butlers.dev/v1alpha1",
        "kind": "Connector",
        "metadata": {"name": "telegram"},
        "spec": {
            "type": "telegram_bot",
            "endpointIdentity": "telegram:bot:ada/home",
            "telegramBot": {"tokenSecretRef": {"name": "bot", "key": "token"}},
        },
    },
)
WISH = {"reason": "sums are wrong", "requested_by": "ada"}


def operation(action: str, target: dict[str, str], **params: str) -> ButlerOperation:
    return parse_object(
        ButlerOperation,
        {
            "apiVersion": "butlers.dev/v1alpha1",
            "kind": "ButlerOperation",
            "metadata": {"name": "op"},
            "spec": {
                "action": action,
                "target": target,
                "reason": WISH["reason"],
                "requestedBy": WISH["requested_by"],
                "params": params,
            },
        },
    )


BUTLER = {"kind": "Butler", "name": "finance"}


@pytest.mark.parametrize(
    ("action", "target", "calls"),
    [
        ("quarantine", BUTLER, [Call("switchboard", "/butlers/finance/quarantine", WISH)]),
        ("release", BUTLER, [Call("switchboard", "/butlers/finance/release", WISH)]),
        (
            "quarantine",
            {"kind": "Connector", "name": "telegram"},
            [Call("switchboard", "/connectors/telegram_bot/telegram%3Abot%3Aada%2Fhome/quarantine", WISH)],
        ),
        ("replay", {"kind": "Request", "id": "r-1"}, [Call("switchboard", "/requests/r-1/replay", WISH)]),
        ("discard", {"kind": "Delivery", "id": "d-1"}, [Call("messenger", "/deliveries/d-1/discard", WISH)]),
        (
            "reset",
            {"kind": "Circuit", "name": "telegram"},
            [Call("messenger", "/circuits/telegram/reset", WISH)],
        ),
        ("cancel", {"kind": "Request", "id": "r-1"}, [Call("switchboard", "/requests/r-1/cancel", WISH)]),
        ("complete", {"kind": "Request", "id": "r-1"}, [Call("switchboard", "/requests/r-1/complete", WISH)]),
        ("approve", {"kind": "Approval", "id": "a-1"}, [Call("messenger", "/approvals/a-1/approve", WISH)]),
        ("deny", {"kind": "Approval", "id": "a-1"}, [Call("messenger", "/approvals/a-1/deny", WISH)]),
        ("end", {"kind": "ApprovalRule", "id": "r"}, [Call("messenger", "/approval-rules/r/end", WISH)]),
        ("end", {"kind": "Suppression", "id": "s"}, [Call("messenger", "/suppressions/s/end", WISH)]),
        ("forget", {"kind": "Person", "id": "p"}, [Call("switchboard", "/memory/p/forget", WISH)]),
        ("end", {"kind": "LearnedRule", "id": "l"}, [Call("switchboard", "/learned/l/end", WISH)]),
        (
            "reset",
            {"kind": "ServiceLevel", "name": "telegram"},
            [Call("messenger", "/slo/telegram/reset", WISH)],
        ),
        (
            "reset",
            {"kind": "ServiceLevel", "name": "switchboard"},
            [Call("switchboard", "/slo/switchboard/reset", WISH)],
        ),
        (
            "replay",
            {"kind": "DeadLetter", "id": "l-1"},
            [
                Call("switchboard", "/dead-letters/l-1/replay", WISH),
                Call("messenger", "/dead-letters/l-1/replay", WISH),
            ],
        ),
    ],
)
def test_an_operation_is_asked_of_the_service_that_can_do_it(
    action: str, target: dict[str, str], calls: list[Call]
) -> None:
    assert list(calls_of(operation(action, target), CONNECTOR)) == calls


def test_arguments_go_out_with_the_wish() -> None:
    [call] = calls_of(operation("quarantine", BUTLER, until="2026-12-01T00:00:00Z"), None)
    assert call.body == {**WISH, "until": "2026-12-01T00:00:00Z"}
    again = operation("replay", {"kind": "DeadLetter", "id": "l-1"}, resendUncertain="true")
    assert [(call.service, call.body["resend_uncertain"]) for call in calls_of(again, None)] == [
        ("messenger", True)
    ]
    always = operation("approve", {"kind": "Approval", "id": "a-1"}, alwaysForSeconds="86400")
    assert [call.body for call in calls_of(always, None)] == [{**WISH, "always_for_s": 86_400}]
    [corrected] = calls_of(operation("correct", {"kind": "Request", "id": "r-1"}, to="health"), None)
    assert corrected == Call("switchboard", "/requests/r-1/correct", {**WISH, "to": "health"})
    suppress = operation("suppress", {"kind": "Channel", "name": "email"}, recipient="ben@example.org")
    assert list(calls_of(suppress, None)) == [
        Call("messenger", "/channels/email/suppress", {**WISH, "recipient": "ben@example.org"})
    ]
    [given] = calls_of(
        operation("reroute", {"kind": "Request", "id": "r-1"}, butler="finance", to="health"), None
    )
    assert given == Call(
        "switchboard", "/requests/r-1/reroute", {**WISH, "butler": "finance", "to": "health"}
    )


@pytest.mark.parametrize(
    ("action", "target", "params", "said"),
    [
        ("release", BUTLER, {"until": "x"}, "until is not known; release of a Butler takes no params"),
        ("quarantine", BUTLER, {"untl": "x"}, "untl is not known; quarantine of a Butler takes until"),
        ("quarantine", {"kind": "Connector", "name": "mail"}, {}, "there is no Connector mail"),
        ("replay", {"kind": "Delivery", "id": "d"}, {"resendUncertain": "yes"}, "neither true nor false"),
        ("approve", {"kind": "Approval", "id": "a"}, {"alwaysForSeconds": "30d"}, "is no number of seconds"),
    ],
)
def test_what_cannot_be_asked_for_says_what_to_change(
    action: str, target: dict[str, str], params: dict[str, str], said: str
) -> None:
    wish: Any = operation(action, target, **params)
    with pytest.raises(OrderProblem, match=said):
        calls_of(wish, None)
