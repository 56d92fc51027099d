"""Who is believed to have wanted something, and by which key it is known."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import ContractViolation, parse
from butler_kit.auth import Caller, Role
from butler_kit.operations import ActBody, Order, key_of, order_by
from tests.support.switchboard import butler, operator

OWN = UUID(int=7)
BODY = ActBody(reason="mended", requested_by="carol")


def ordered(caller: Caller) -> Order:
    return order_by(caller, uid="k", action="butler.release", target="butler/finance", body=BODY)


def test_an_operator_and_switchboard_are_believed_whom_they_act_for_and_nobody_else_is() -> None:
    assert ordered(operator("the-operator")).who == "carol"
    assert ordered(operator("the-operator")).actor == "the-operator"
    assert ordered(replace(operator("switchboard"), role=Role.SWITCHBOARD)).who == "carol"
    assert ordered(butler("finance")).who == "butler:finance"


@pytest.mark.parametrize("key", ["", " ", "a b", "ü", "k\n", "k" * 201])
def test_a_key_is_short_and_visible(key: str) -> None:
    with pytest.raises(ValidationFailed, match="Idempotency-Key"):
        key_of(key, otherwise=OWN)


def test_an_action_without_a_key_has_one_of_its_own() -> None:
    assert key_of(None, otherwise=OWN) == str(OWN)
    assert key_of("a-uid", otherwise=OWN) == "a-uid"


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": " "}, {"reason": "x", "for": "y"}])
def test_every_action_says_why_and_nothing_unknown(body: dict[str, str]) -> None:
    with pytest.raises(ContractViolation):
        parse(ActBody, body)


def test_what_is_ordered_is_compared_but_not_who_carries_it() -> None:
    assert ordered(operator("one")).body() == ordered(operator("other")).body()
