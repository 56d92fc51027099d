"""What a namespace's butlers inherit, as the operator knows it right after its own start (D83)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.control.households import Households
from butler_operator.control.observed import Observed
from butler_resources.kinds import Household
from tests.support.cluster_resources import switchboard

CHF = Household(currency="CHF")


def households(*bodies: dict[str, Any]) -> Households:
    observed = Observed()
    for version, body in enumerate(bodies, start=1):
        body["metadata"] |= {"namespace": "home", "uid": str(version), "resourceVersion": str(version)}
        observed.put(body)
    return Households(observed)


def another(**spec: Any) -> dict[str, Any]:
    body = switchboard(**spec)
    body["metadata"]["name"] = "another"
    return body


def test_a_second_butler_of_the_switchboard_s_role_decides_nothing() -> None:
    usd = {"currency": "USD"}
    assert households(another(household=usd), switchboard(household={"currency": "CHF"})).of("home") == CHF
    assert households(another(household=usd), switchboard()).of("home") == Household()
    assert households(another(household=usd)).of("home") == Household()


@pytest.mark.parametrize("said", [{"currency": "EURO"}, {"timezone": 5}, {"colour": "red"}, "EUR", ["EUR"]])
def test_settings_that_cannot_be_understood_are_none(said: Any) -> None:
    assert households(switchboard(household=said)).of("home") == Household()


def test_what_an_accepted_switchboard_says_holds_until_it_says_otherwise() -> None:
    known = households()
    assert known.tell("home", CHF)
    assert not known.tell("home", Household(currency="CHF"))
    assert (known.of("home"), known.of("elsewhere")) == (CHF, Household())
    assert known.tell("home", None)
    assert known.of("home") == Household()
