"""Whom Switchboard knows and no resource stands for: undeclared once that is proved, unless a person holds it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import kmock
import pytest

from tests.support.cluster_api import ClusterApi
from tests.support.cluster_resources import butler, database_secret, switchboard
from tests.support.registry_double import RegistryDouble

Start = Callable[..., Any]
UNDECLARE = ("DELETE", "/butlers/finance")
HELD = {
    "eligibility_state": "quarantined",
    "eligibility_reason": "operator_hold",
    "quarantine_reason": "wrong sums",
    "quarantine_origin": "operator",
}


@pytest.fixture
def cluster(api: tuple[ClusterApi, str]) -> ClusterApi:
    """A household of its Switchboard alone."""
    cluster, _ = api
    cluster.have(database_secret())
    cluster.have(switchboard())
    return cluster


@pytest.fixture
def known(registry: RegistryDouble) -> RegistryDouble:
    """A Switchboard that knew a butler before the operator started."""
    registry.declared["finance"] = {}
    return registry


async def beats(home: Any) -> None:
    """Wait for whole beats: each ends with a look at the registry."""
    begun = len(home.registry.calls_to("/connectors"))
    await home.until(lambda: len(home.registry.calls_to("/connectors")) > begun + 2)


async def test_an_operator_that_starts_undeclares_nobody_before_it_has_listed_everybody(
    cluster: ClusterApi, known: RegistryDouble, start: Start
) -> None:
    cluster.have(butler("finance"))
    late = cluster.second_page["Butler"] = asyncio.Event()
    async with start() as home:
        await home.until(lambda: home.runtime.observed.get("Butler", "home", "switchboard"))
        await beats(home)
        assert home.runtime.observed.get("Butler", "home", "finance") is None
        assert not [asked for asked in cluster.asked if "butlers/finance" in asked], (
            "it has not even wondered"
        )
        late.set()
        await home.until(home.has("Butler", "finance", "Eligible", "True"))
        assert UNDECLARE not in known.calls


async def test_a_butler_that_no_watch_told_of_is_looked_up_before_it_is_undeclared(
    cluster: ClusterApi, known: RegistryDouble, start: Start
) -> None:
    cluster.have(butler("finance"))
    async with start() as home:
        await home.until(home.has("Butler", "finance", "Eligible", "True"))
        home.runtime.observed.drop(home.runtime.observed.get("Butler", "home", "finance"))
        await beats(home)
        assert UNDECLARE not in known.calls


async def test_nobody_is_undeclared_while_the_cluster_does_not_answer(
    cluster: ClusterApi, known: RegistryDouble, start: Start
) -> None:
    def away(request: kmock.Request) -> kmock.KubernetesError | None:
        return (
            kmock.KubernetesError(status=503, reason="ServiceUnavailable", message="away")
            if request.name == "finance"
            else None
        )

    cluster.outage = away
    async with start() as home:
        await home.until(lambda: any("butlers/finance" in asked for asked in cluster.asked))
        await beats(home)
        assert UNDECLARE not in known.calls
        cluster.outage = lambda request: None
        await home.until(lambda: "finance" not in known.declared)


async def test_an_operators_hold_outlives_the_resource_until_it_is_released(
    cluster: ClusterApi, known: RegistryDouble, start: Start
) -> None:
    known.states["finance"] = HELD
    async with start() as home:
        await home.until(lambda: home.runtime.listed)
        await beats(home)
        assert UNDECLARE not in known.calls
        known.states.clear()
        await home.until(lambda: "finance" not in known.declared)
