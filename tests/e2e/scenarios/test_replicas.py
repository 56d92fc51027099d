"""Two Switchboards under load, one of them killed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.traffic import Traffic

SWITCHBOARDS = "butlers.dev/kind=Butler,butlers.dev/name=switchboard"


@pytest.fixture
def two(cluster: Cluster, home: Household) -> Iterator[Household]:
    """The household with a second Switchboard."""
    scale(cluster, 2)
    yield home
    scale(cluster, 1)


def scale(cluster: Cluster, replicas: int) -> None:
    cluster.kubectl(
        "scale", "butler", "switchboard", f"--replicas={replicas}", "--namespace", cluster.namespace
    )

    def done() -> bool:
        found = cluster.get("butler", "switchboard")
        assert found is not None
        return bool(
            found["status"]["observedGeneration"] == found["metadata"]["generation"]
            and found["status"].get("readyReplicas") == replicas
        )

    eventually(done, timeout_s=240, pause_s=2, what=f"{replicas} Switchboards ready")
    cluster.ready("butler/switchboard")


def pods(cluster: Cluster) -> list[str]:
    found = cluster.list("pods", selector=SWITCHBOARDS)
    return [pod["metadata"]["name"] for pod in found if "deletionTimestamp" not in pod["metadata"]]


def test_of_two_switchboards_one_dies_and_nothing_is_lost_or_doubled(
    cluster: Cluster, two: Household
) -> None:
    before = pods(cluster)
    assert len(before) == 2
    with Traffic(cluster, two) as traffic:
        traffic.more(8)
        cluster.kubectl(
            "delete", "pod", before[0], "--grace-period=0", "--force", "--namespace", cluster.namespace
        )
        traffic.more(8)
        eventually(
            lambda: len(set(pods(cluster)) - {before[0]}) == 2,
            pause_s=2,
            what="another Switchboard in its place",
        )
        traffic.more(4)
    traffic.check()
