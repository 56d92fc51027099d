"""Two operators: the one that works is killed, and the other looks after the household."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.scenarios.test_kills import WHO, ready_pods

OPERATOR, SYSTEM = "deployment/butlers-operator", INSTALLED[1]
TAKEOVER_S = 60.0
"""The Lease's quarter of a minute, on a machine that is slow."""


@pytest.fixture
def two_operators(cluster: Cluster) -> Iterator[None]:
    """A second operator, as somebody scales it by hand."""
    scale(cluster, 2)
    try:
        eventually(
            lambda: len(ready_pods(cluster, WHO["operator"], SYSTEM)) == 2,
            timeout_s=120, what="two operators are ready",
        )  # fmt: skip
        yield
    finally:
        scale(cluster, 1)
        eventually(
            lambda: len(ready_pods(cluster, WHO["operator"], SYSTEM)) == 1,
            timeout_s=120, what="one operator is left",
        )  # fmt: skip


def test_the_leader_of_two_operators_is_killed_and_what_is_deleted_comes_back(
    cluster: Cluster, two_operators: None
) -> None:
    leader = holder(cluster)
    cluster.kubectl("delete", "pod", leader, "--namespace", SYSTEM, "--grace-period=0", "--force")
    cluster.kubectl("delete", "service", "butler-finance", "--namespace", cluster.namespace)
    eventually(
        lambda: holder(cluster) not in ("", leader), timeout_s=TAKEOVER_S, what="another operator leads"
    )
    eventually(
        partial(cluster.get, "service", "butler-finance"), timeout_s=TAKEOVER_S, what="the Service is back"
    )


def scale(cluster: Cluster, replicas: int) -> None:
    cluster.kubectl("scale", OPERATOR, f"--replicas={replicas}", "--namespace", SYSTEM)


def holder(cluster: Cluster) -> str:
    """The pod of the operator that works."""
    found = cluster.get("lease", "butlers-operator", namespace=SYSTEM) or {"spec": {}}
    return str(found["spec"].get("holderIdentity") or "")
