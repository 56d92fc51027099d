"""Whom Switchboard knows and no resource stands for: undeclared once that is proved, unless a person holds it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import kmock
import pytest

from tests.support.cluster_api import ClusterApi
from tests.support.cluster_resources import api_connector, butler, database_secret, secret, switchboard
from tests.support.registry_double import RegistryDouble

Start = Callable[..., Any]
UNDECLARE = ("DELETE", "/butlers/finance")
UNBIND = ("DELETE", "/connectors/webhook/api:home")
SOURCE = ("webhook", "api:home")
AS_API = {"subject": "system:serviceaccount:home:connector-api", "max_tier": "interactive"}
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
        await home.settled()
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


async def test_the_source_of_a_connector_that_is_gone_is_nobodys(
    cluster: ClusterApi, registry: RegistryDouble, start: Start
) -> None:
    registry.bound[SOURCE] = AS_API
    elsewhere = {**AS_API, "subject": "system:serviceaccount:other:connector-api"}
    registry.bound["imap", "imap:kept@example.org"] = elsewhere
    async with start():
        async with asyncio.timeout(60):
            while SOURCE in registry.bound:
                await asyncio.sleep(0.02)
    assert list(registry.bound.values()) == [elsewhere], (
        "whose account is of another namespace is not ours to judge"
    )


async def test_a_connector_that_was_made_anew_for_another_source_gets_it(
    cluster: ClusterApi, registry: RegistryDouble, start: Start
) -> None:
    registry.bound[SOURCE] = AS_API
    registry.one_source_each = True
    cluster.have(secret("webhook", token="t"))
    cluster.have(api_connector(endpoint="api:shed"))
    async with start() as home:
        await home.until(lambda: set(registry.bound) == {("webhook", "api:shed")})


async def test_a_connector_that_no_watch_told_of_keeps_its_source(
    cluster: ClusterApi, registry: RegistryDouble, start: Start
) -> None:
    cluster.have(secret("webhook", token="t"))
    cluster.have(api_connector())
    async with start() as home:
        await home.until(lambda: SOURCE in registry.bound)
        await home.settled()
        home.runtime.observed.drop(home.runtime.observed.get("Connector", "home", "api"))
        await beats(home)
        assert UNBIND not in registry.calls


async def test_a_switchboard_that_lists_no_bindings_is_asked_for_nothing_more(
    cluster: ClusterApi, registry: RegistryDouble, start: Start
) -> None:
    registry.lists_bindings = False
    registry.bound[SOURCE] = AS_API
    async with start() as home:
        await home.until(lambda: registry.calls_to("/bindings"))
        await beats(home)
        assert UNBIND not in registry.calls
        await home.until(home.has("Butler", "switchboard", "Accepted", "True"))
