"""Households' namespaces that come late, go with the operator there and go without it (ADR 0044)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.e2e.charts.release import RELEASE, Release
from tests.e2e.cluster import Cluster, eventually

GONE_S = 60
NO_DATABASE = ("postgresql.mode=external", "postgresql.external.existingSecret=none")


def butler(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "butlers.dev/v1alpha1",
        "kind": "Butler",
        "metadata": {"name": name},
        "spec": {"suspend": True, **spec},
    }


@pytest.fixture
def houses(cluster: Cluster, release: Release) -> Iterator[tuple[str, str, str]]:
    """Two namespaces that are there and one that is not yet; none is left."""
    names = tuple(f"{release.namespace}-{letter}" for letter in "abc")
    for name in names[:2]:
        cluster.kubectl("create", "namespace", name)
    yield names  # type: ignore[misc]
    cluster.kubectl("delete", "namespace", *names, "--ignore-not-found", "--wait=false")


def served(cluster: Cluster, namespace: str, name: str) -> None:
    eventually(
        lambda: (cluster.condition("butler", name, "Accepted", namespace=namespace) or {}).get("status") == "True",
        timeout_s=90, what=f"{name} of {namespace} is looked at",
    )  # fmt: skip


def delete(cluster: Cluster, namespace: str) -> None:
    """`kubectl delete namespace` waits; a deletion that hangs is a failure with its words."""
    cluster.kubectl("delete", "namespace", namespace, f"--timeout={GONE_S}s", timeout_s=GONE_S + 10)


def test_a_household_s_namespace_comes_late_goes_and_goes_after_the_release(
    cluster: Cluster, release: Release, houses: tuple[str, str, str]
) -> None:
    first, second, late = houses
    named = (f"watchNamespaces={{{','.join(houses)}}}", *NO_DATABASE)
    assert f"namespace {late} does not exist" in release.install(*named)
    for house in (first, second):
        cluster.apply(butler("switchboard", role="switchboard"), namespace=house)
        served(cluster, house, "switchboard")

    delete(cluster, first)
    cluster.kubectl("create", "namespace", late)
    release.install(*named, verb="upgrade")
    cluster.apply(butler("switchboard", role="switchboard"), namespace=late)
    served(cluster, late, "switchboard")
    cluster.apply(butler("garden", role="specialist", profile="general"), namespace=second)
    served(cluster, second, "garden")

    release.helm("uninstall", RELEASE, "--wait", "--timeout", "120s")
    for house in (second, late):
        delete(cluster, house)


def test_a_namespace_is_served_for_as_long_as_it_has_the_label(
    cluster: Cluster, release: Release, houses: tuple[str, str, str]
) -> None:
    first, second, _ = houses
    release.install("watchLabelled.enabled=true", *NO_DATABASE)
    for house in (first, second):
        cluster.apply(butler("switchboard", role="switchboard"), namespace=house)
    cluster.kubectl("label", "namespace", second, "butlers.dev/watch=true")
    served(cluster, second, "switchboard")
    assert cluster.condition("butler", "switchboard", "Accepted", namespace=first) is None
    cluster.kubectl("label", "namespace", first, "butlers.dev/watch=true")
    served(cluster, first, "switchboard")
    for house in (first, second):
        eventually(
            partial(cluster.get, "serviceaccount", "butlers-reader", namespace=house),
            what=f"the readers' account in {house}",
        )
        delete(cluster, house)
