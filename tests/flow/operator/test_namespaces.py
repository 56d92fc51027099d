"""Several namespaces, each on its own: one that is gone, forbidden or late holds up no other (ADR 0044)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kmock
import pytest

from butler_operator.cluster.client import connect
from butler_operator.cluster.paths import api_kind
from butler_operator.control import watching
from butler_operator.control.namespaces import METRIC, look
from butler_operator.reconcile.key import Key
from tests.flow.operator.test_operations import operation
from tests.support.cluster_api import ClusterApi
from tests.support.cluster_resources import butler, database_secret, switchboard

Start = Callable[..., Any]
LABELLED = {"butlers.dev/watch": "true"}


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOK_S", 0.3)
    monkeypatch.setattr(watching, "FIRST_S", 0.1)


@pytest.fixture
def cluster(api: tuple[ClusterApi, str]) -> ClusterApi:
    """Two households; the operator's own Deployment, about which it tells."""
    cluster, _ = api
    cluster.spaces = {"home": {}, "cabin": {}}
    cluster.have(
        {"kind": "Deployment", "metadata": {"name": "butlers-operator"}, "spec": {}}, namespace="ops"
    )
    for namespace in ("home", "cabin"):
        household(cluster, namespace)
    return cluster


def household(cluster: ClusterApi, namespace: str) -> None:
    cluster.have(database_secret(), namespace=namespace)
    cluster.have(switchboard(), namespace=namespace)
    cluster.have(butler("finance"), namespace=namespace)


def both(start: Start, **settings: Any) -> Any:
    return start(namespaces=("home", "cabin"), operator_namespace="ops", beat_s=0.2, **settings)


def has_pods(cluster: ClusterApi, namespace: str) -> Any:
    return cluster.find("Deployment", "butler-finance", namespace=namespace)


def forbids(*namespaces: str) -> Callable[[kmock.Request], kmock.KubernetesError | None]:
    def answer(request: kmock.Request) -> kmock.KubernetesError | None:
        if request.namespace in namespaces:
            return kmock.KubernetesError(status=403, reason="Forbidden", message="cannot list: no role")
        return None

    return answer


def told(home: Any) -> list[tuple[str, str]]:
    regarding = [event for event in home.api.events() if event["regarding"]["name"] == "butlers-operator"]
    return [(event["type"], event["reason"]) for event in regarding]


async def test_a_forbidden_namespace_is_told_and_the_one_beside_it_is_served(
    cluster: ClusterApi, start: Start
) -> None:
    cluster.outage = forbids("home")
    async with both(start) as home:
        await home.until(lambda: has_pods(cluster, "cabin"))
        assert not has_pods(cluster, "home")
        await home.until(lambda: told(home) == [("Warning", "NamespaceForbidden")])
        assert home.runtime.metrics.value(METRIC, namespace="home") == 0
        assert home.runtime.metrics.value(METRIC, namespace="cabin") == 1
        cluster.outage = lambda request: None
        await home.until(lambda: has_pods(cluster, "home"))
        assert told(home)[1:] == [("Normal", "NamespaceServed")]


async def test_a_namespace_that_comes_later_is_served_without_a_restart(
    cluster: ClusterApi, start: Start
) -> None:
    del cluster.spaces["home"]
    async with both(start) as home:
        await home.until(lambda: has_pods(cluster, "cabin"))
        await home.until(lambda: told(home) == [("Warning", "NamespaceNotFound")])
        cluster.spaces["home"] = {}
        await home.until(lambda: has_pods(cluster, "home"))


async def test_a_namespace_that_goes_ends_nothing_but_its_own_watch(
    cluster: ClusterApi, start: Start, registry: Any
) -> None:
    async with both(start, resync_s=1) as home:
        await home.until(lambda: has_pods(cluster, "home") and has_pods(cluster, "cabin"))
        await home.until(lambda: "finance" in registry.declared)
        del cluster.spaces["home"]
        cluster.outage = forbids("home")
        await home.until(lambda: told(home)[-1:] == [("Warning", "NamespaceNotFound")])
        await home.until(lambda: home.runtime.observed.namespaces() == ["cabin"])
        cluster.remove("Deployment", "butler-finance", namespace="cabin")
        await home.until(lambda: has_pods(cluster, "cabin"))
        round_ = home.runtime.metrics.value("butlers.operator.reconcile", kind="Household", outcome="ok")
        await home.until(
            lambda: (
                home.runtime.metrics.value("butlers.operator.reconcile", kind="Household", outcome="ok")
                > round_ + 1
            )
        )


def is_eligible(cluster: ClusterApi, namespace: str) -> bool:
    body = cluster.find("Butler", "finance", namespace=namespace) or {}
    conditions = (body.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Eligible" and one["status"] == "True" for one in conditions)


async def test_a_switchboard_that_never_answers_takes_no_worker_and_no_beat_from_another_household(
    cluster: ClusterApi, start: Start, registry: Any
) -> None:
    registry.hung.add("home")
    for number in range(30):
        cluster.have(operation(f"replay-{number}"))
    async with both(start) as home:
        await home.until(lambda: is_eligible(cluster, "cabin"))
        running = [body for body in cluster.store.values() if body["kind"] == "ButlerOperation"]
        assert len(running) == 30
        cluster.remove("Deployment", "butler-finance", namespace="cabin")
        await home.until(lambda: has_pods(cluster, "cabin"))
        beats = len(registry.calls_to("/evidence"))
        await home.until(lambda: len(registry.calls_to("/evidence")) > beats + 2)
        assert not is_eligible(cluster, "home")


async def test_definitions_that_come_later_are_waited_for(cluster: ClusterApi, start: Start) -> None:
    def missing(request: kmock.Request) -> kmock.KubernetesError | None:
        resource = request.resource
        gone = resource is not None and resource.group == "butlers.dev"
        return kmock.KubernetesError(status=404, reason="NotFound", message="no such") if gone else None

    cluster.outage = missing
    async with both(start) as home:
        await home.until(lambda: told(home) == [("Warning", "KindsNotInstalled")] * 2)
        cluster.outage = lambda request: None
        await home.until(lambda: has_pods(cluster, "home") and has_pods(cluster, "cabin"))


async def test_a_label_brings_a_namespace_in_and_out_and_nothing_is_deleted(
    cluster: ClusterApi, start: Start
) -> None:
    cluster.spaces["cabin"] = LABELLED
    async with start(namespaces=(), watch_labelled=True, beat_s=0.2) as home:
        await home.until(lambda: has_pods(cluster, "cabin"))
        assert not has_pods(cluster, "home")
        cluster.spaces["home"] = LABELLED
        await home.until(lambda: has_pods(cluster, "home"))
        await home.settled()
        cluster.spaces["cabin"] = {}
        await home.until(lambda: home.runtime.observed.namespaces() == ["home"])
        cluster.writes.clear()
        cluster.remove("Service", "butler-finance", namespace="cabin")
        cluster.remove("Service", "butler-finance", namespace="home")
        await home.until(lambda: cluster.find("Service", "butler-finance", namespace="home"))
        await home.settled()
        assert {namespace for _, (_, namespace, _), _ in cluster.writes} == {"home"}
        assert has_pods(cluster, "cabin")
        assert 'namespace="cabin"' not in home.runtime.metrics.expose()[0].decode()


async def test_a_namespace_by_label_has_its_readers_account_and_a_named_one_the_chart_s(
    cluster: ClusterApi, start: Start
) -> None:
    cluster.spaces["cabin"] = LABELLED
    async with start(namespaces=("home",), watch_labelled=True, beat_s=0.2) as home:
        await home.until(lambda: has_pods(cluster, "home") and has_pods(cluster, "cabin"))
        await home.until(lambda: reader(cluster, "cabin"))
        await home.settled()
        assert reader(cluster, "cabin")["automountServiceAccountToken"] is False
        assert reader(cluster, "home") is None
        cluster.remove("ServiceAccount", "butlers-reader", namespace="cabin")
        await home.until(lambda: reader(cluster, "cabin"))
        for name in ("switchboard", "finance"):
            cluster.remove("Butler", name, namespace="cabin")
        await home.until(lambda: reader(cluster, "cabin") is None)


async def test_a_readers_account_that_a_person_made_stays_as_it_is(cluster: ClusterApi, start: Start) -> None:
    cluster.spaces["cabin"] = LABELLED
    made = {"kind": "ServiceAccount", "metadata": {"name": "butlers-reader", "labels": {"made": "by-hand"}}}
    cluster.have(made, namespace="cabin")
    async with start(namespaces=(), watch_labelled=True, beat_s=0.2) as home:
        await home.until(lambda: has_pods(cluster, "cabin"))
        await home.until(lambda: cluster.find("Secret", "switchboard-signing", namespace="cabin"))
        await home.settled()
        assert reader(cluster, "cabin")["metadata"]["labels"] == {"made": "by-hand"}
        assert not [ident for _, ident, _ in cluster.writes if ident[2] == "butlers-reader"]


async def test_the_operator_s_account_stays_when_the_namespace_is_named_later(
    cluster: ClusterApi, start: Start
) -> None:
    cluster.spaces["cabin"] = LABELLED
    async with start(namespaces=(), watch_labelled=True, beat_s=0.2) as home:
        await home.until(lambda: reader(cluster, "cabin"))
        await home.settled()
    async with start(namespaces=("cabin",), beat_s=0.2) as home:
        await home.until(lambda: household_rounds(home) >= 1)
        await home.settled()
        assert reader(cluster, "cabin")


def reader(cluster: ClusterApi, namespace: str) -> Any:
    return cluster.find("ServiceAccount", "butlers-reader", namespace=namespace)


def household_rounds(home: Any) -> float:
    found: float = home.runtime.metrics.value("butlers.operator.reconcile", kind="Household", outcome="ok")
    return found


async def test_a_namespace_that_is_half_listed_loses_nothing(cluster: ClusterApi, start: Start) -> None:
    async with both(start) as home:
        await home.until(lambda: cluster.find("Secret", "switchboard-signing"))
        await home.settled()
        cluster.writes.clear()
        home.runtime.forget("home")
        for key in (Key.household("home"), Key.rollups("home"), Key("Butler", "home", "finance")):
            home.runtime.queue.add(key)
        await home.settled()
        assert not [write for write in cluster.writes if write[1][1] == "home"]


async def test_a_look_changes_nothing(cluster: ClusterApi, api: Any) -> None:
    _, url = api
    client = await connect(host=url)
    assert (await look(client, "home")).served
    assert not cluster.writes
    assert api_kind("Butler").plural in "".join(cluster.asked)
    await client.close()
