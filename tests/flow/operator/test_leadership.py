"""Several operators and one Lease: one works, and nobody begins before it has stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from butler_kit.time import SystemClock
from butler_operator.cluster.client import Cluster, connect
from butler_operator.cluster.errors import ClusterUnavailable
from butler_operator.leadership import Leadership
from butler_operator.leadership.lease import Terms
from butler_operator.metrics import OperatorMetrics
from tests.support.cluster_api import ClusterApi
from tests.support.cluster_resources import butler, database_secret, switchboard

Start = Callable[..., Any]
Api = tuple[ClusterApi, str]
TERMS = Terms(3.0)
LEASE = "butlers-operator"


@dataclass
class Contender:
    """One that leads when it may; `terms` are its beginnings and ends."""

    name: str
    cluster: Cluster
    metrics: OperatorMetrics = field(default_factory=OperatorMetrics)
    leads: bool = False
    begun: int = 0
    afresh: int = 0

    def leadership(self) -> Leadership:
        def again() -> None:
            self.afresh += 1

        return Leadership(
            self.cluster, clock=SystemClock(), metrics=self.metrics, namespace="home", name=LEASE,
            terms=TERMS, identity=self.name, afresh=again,
        )  # fmt: skip

    async def work(self) -> None:
        self.begun += 1
        self.leads = True
        try:
            await asyncio.Event().wait()
        finally:
            self.leads = False


@asynccontextmanager
async def contending(url: str, name: str) -> AsyncIterator[tuple[Contender, asyncio.Task[None]]]:
    one = Contender(name, await connect(host=url))
    task = asyncio.create_task(one.leadership().run(leading=one.work))
    try:
        yield one, task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await one.cluster.close()


async def until(look: Callable[[], Any], within_s: float = 30.0) -> None:
    async with asyncio.timeout(within_s):
        while not look():
            await asyncio.sleep(0.01)


def holder(api: ClusterApi) -> str:
    return str((api.find("Lease", LEASE) or {"spec": {}})["spec"].get("holderIdentity"))


async def test_one_leads_and_a_clean_end_hands_over_at_once(api: Api) -> None:
    cluster, url = api
    async with contending(url, "one") as (one, first):
        await until(lambda: one.leads)
        async with contending(url, "two") as (two, _):
            await asyncio.sleep(1)
            assert (holder(cluster), two.leads) == ("one", False)
            assert one.metrics.value("butlers.operator.leader") == 1
            assert two.metrics.value("butlers.operator.leader") == 0
            first.cancel()
            await until(lambda: two.leads)
            assert (holder(cluster), one.leads) == ("two", False)
            assert one.metrics.value("butlers.operator.leader") == 0
            lease = cluster.find("Lease", LEASE)
            assert lease is not None
            assert lease["spec"]["leaseTransitions"] == 1


async def test_who_cannot_renew_stops_and_refuses_writes_before_another_begins(api: Api) -> None:
    _, url = api
    async with contending(url, "one") as (one, _), contending(url, "two") as (two, _):
        await until(lambda: one.leads or two.leads)
        first, second = (one, two) if one.leads else (two, one)
        first.cluster.request = unreachable  # type: ignore[method-assign]
        both = []
        async with asyncio.timeout(60):
            while not second.leads:
                both.append(first.leads and second.leads)
                await asyncio.sleep(0.005)
        assert not any([*both, first.leads])
        del first.cluster.request
        with pytest.raises(ClusterUnavailable):
            await first.cluster.patch("ConfigMap", "home", "x", {})


async def unreachable(*_: Any, **__: Any) -> Any:
    raise ClusterUnavailable("cut off")


async def test_who_lost_the_lease_to_nobody_goes_on_and_who_lost_it_to_another_begins_afresh(
    api: Api,
) -> None:
    cluster, url = api
    async with contending(url, "one") as (one, _):
        await until(lambda: one.leads)
        one.cluster.request = unreachable  # type: ignore[method-assign]
        await until(lambda: not one.leads)
        del one.cluster.request
        await until(lambda: one.leads)
        assert (one.begun, one.afresh) == (2, 0)

        def take(body: Any) -> None:
            body["spec"] = {**body["spec"], "holderIdentity": "two", "leaseTransitions": 1}

        cluster.edit("Lease", LEASE, take)
        await until(lambda: one.afresh)
        assert (one.begun, one.leads) == (2, False)


async def test_an_operator_that_stands_by_writes_nothing_and_takes_over_what_is_there(
    api: Api, start: Start
) -> None:
    cluster, url = api
    async with contending(url, "other") as (other, task):
        await until(lambda: other.leads)
        async with start(lease=LEASE, lease_s=3, identity="late", operator_namespace="home") as home:
            home.api.have(database_secret())
            home.api.have(switchboard())
            home.api.have(butler("finance"))
            await home.until(lambda: home.runtime.observed.get("Butler", "home", "finance"))
            await asyncio.sleep(1)
            assert {ident[0] for _, ident, _ in cluster.writes} == {"Lease"}
            task.cancel()
            await home.until(home.has("Butler", "finance", "Deployed", "True"))
            assert holder(cluster) == "late"
        assert holder(cluster) == "", "a clean end lets go"
