"""Manifests that the API server takes and the operator cannot use: a condition, no child, no circle."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.scenarios.auditing import writes

Extra = Callable[..., None]
NAME = "extra"
WATCHED_S = 25.0
"""Longer than the operator's resync in these tests."""
CHILDREN = "deployments,services,configmaps,serviceaccounts,networkpolicies,persistentvolumeclaims,pods"


def butler(**more: Any) -> dict[str, Any]:
    """A specialist beside those of the demo."""
    spec = {"role": "specialist", "profile": "general", "timezone": "Europe/Berlin", "replicas": 1} | more
    return {
        "apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "metadata": {"name": NAME}, "spec": spec,
    }  # fmt: skip


@pytest.fixture
def applied(cluster: Cluster, often: datetime) -> Iterator[Callable[..., None]]:
    """Applies manifests of `extra`; they are gone after the test."""
    yield cluster.apply
    cluster.kubectl(
        "delete", "butler", NAME, "--namespace", cluster.namespace, "--ignore-not-found", "--timeout=90s",
        timeout_s=100,
    )  # fmt: skip


def children(cluster: Cluster) -> list[str]:
    found = cluster.list(CHILDREN)
    names = [f"{one['kind']}/{one['metadata']['name']}" for one in found]
    return [name for name in names if name.partition("/")[2].startswith(f"butler-{NAME}")]


def events(cluster: Cluster, reason: str) -> list[dict[str, Any]]:
    """Of the butler that there is now: events outlive an earlier one of its name."""
    butler = cluster.get("butler", NAME)
    assert butler is not None
    found = cluster.list("events.events.k8s.io")
    uid = butler["metadata"]["uid"]
    return [one for one in found if one["regarding"].get("uid") == uid and one["reason"] == reason]


def condition(cluster: Cluster, type_: str, reason: str) -> dict[str, Any]:
    def there() -> dict[str, Any] | None:
        found = cluster.condition("butler", NAME, type_)
        return found if found is not None and found["reason"] == reason else None

    found = eventually(there, what=f"condition {type_} with reason {reason}")
    assert found is not None
    return found


def test_a_time_zone_that_is_none_is_a_condition_and_no_circle(
    cluster: Cluster, applied: Extra, since: datetime
) -> None:
    applied(butler(timezone="Mars/Base"))
    accepted = condition(cluster, "Accepted", "InvalidSpec")
    assert accepted["status"] == "False"
    assert "Mars/Base" in accepted["message"]
    stalled = cluster.condition("butler", NAME, "Stalled")
    assert stalled is not None
    assert stalled["status"] == "True"
    time.sleep(WATCHED_S)
    assert children(cluster) == []
    # The status, and nothing again; the event has a name of its own.
    assert len(writes(cluster, since=since, name=NAME)) <= 2
    assert len(events(cluster, "InvalidSpec")) == 1
    applied(butler(timezone="Europe/Vienna", suspend=True))
    eventually(lambda: children(cluster), what="children once the time zone is one")


def test_an_object_of_somebody_else_with_a_child_s_name_is_left_alone(
    cluster: Cluster, applied: Extra, since: datetime
) -> None:
    mine = {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"butler-{NAME}"}, "data": {"of": "mine"},
    }  # fmt: skip
    cluster.apply(mine)
    before = cluster.get("configmap", f"butler-{NAME}")
    try:
        applied(butler(suspend=True))
        conflict = condition(cluster, "Deployed", "OwnershipConflict")
        assert f"ConfigMap butler-{NAME}" in conflict["message"]
        assert cluster.get("configmap", f"butler-{NAME}") == before
        eventually(lambda: events(cluster, "OwnershipConflict"), what="an event that tells of it")
    finally:
        cluster.kubectl("delete", "configmap", f"butler-{NAME}", "--namespace", cluster.namespace)
    condition(cluster, "Deployed", "Deployed")
    made = cluster.get("configmap", f"butler-{NAME}")
    assert made is not None
    assert made["metadata"]["ownerReferences"][0]["name"] == NAME
