"""A source that two pods share: one reads it; when its pod is gone the other goes on, nothing is lost or doubled."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.records import rows
from tests.e2e.scenarios.traffic import Traffic

NAME = "telegram"
PODS = f"butlers.dev/kind=Connector,butlers.dev/name={NAME}"
READY_S = 240.0


def change(cluster: Cluster, checkpoint: str, replicas: int) -> None:
    """By the manifest, and until the pods are as it says."""
    patch = f'{{"spec": {{"checkpoint": "{checkpoint}", "replicas": {replicas}}}}}'
    cluster.kubectl("patch", "connector", NAME, "--namespace", cluster.namespace, "--type=merge", "-p", patch)

    def done() -> bool:
        found = cluster.get("connector", NAME)
        assert found is not None
        settled = found["status"].get("observedGeneration") == found["metadata"]["generation"]
        return settled and len(ready(cluster)) == replicas == len(pods(cluster))

    eventually(done, timeout_s=READY_S, pause_s=2, what=f"{replicas} pods of {NAME} that are ready")
    cluster.ready(f"connector/{NAME}", timeout_s=READY_S)


def pods(cluster: Cluster) -> dict[str, dict[str, object]]:
    """By uid, those that are not ending."""
    found = cluster.list("pods", selector=PODS)
    return {pod["metadata"]["uid"]: pod for pod in found if "deletionTimestamp" not in pod["metadata"]}


def ready(cluster: Cluster) -> list[str]:
    return [
        uid
        for uid, pod in pods(cluster).items()
        if any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"]["conditions"])  # type: ignore[index]
    ]


def lease(cluster: Cluster) -> tuple[str, int] | None:
    """Who has it, and how often it changed hands."""
    found = rows(cluster, "SELECT holder::text, token FROM switchboard.source_leases")
    return (found[0]["holder"], int(found[0]["token"])) if found else None


@pytest.fixture(scope="module")
def two(cluster: Cluster, often: datetime, doors: Household) -> Iterator[Household]:
    """The household with a second reader of its bot, of which neither has a disk."""
    cluster.ready("butler,connector", timeout_s=240)
    change(cluster, "switchboard", 2)
    yield doors
    change(cluster, "file", 1)


@pytest.mark.spec("CNX-17.1", "CNX-17.3")
def test_of_two_readers_one_is_lost_and_the_other_goes_on(cluster: Cluster, two: Household) -> None:
    first = eventually(lambda: lease(cluster), timeout_s=60, what="somebody who reads")
    assert first is not None
    deployment = cluster.get("deployment", f"connector-{NAME}")
    assert deployment is not None
    volumes = deployment["spec"]["template"]["spec"].get("volumes", [])
    assert not [one for one in volumes if "persistentVolumeClaim" in one]
    before = set(pods(cluster))
    with Traffic(cluster, two) as traffic:
        traffic.more(6)
        for number in range(2):
            # Whoever reads is among them: both are lost in turn, without a word.
            victim = sorted(before)[number]
            name = pods(cluster)[victim]["metadata"]["name"]  # type: ignore[index]
            cluster.kubectl(
                "delete", "pod", str(name), "--grace-period=0", "--force", "--namespace", cluster.namespace
            )
            traffic.more(6)
            eventually(
                lambda: len(ready(cluster)) == 2, timeout_s=READY_S, pause_s=2, what="two readers again"
            )
        traffic.more(4)
    traffic.check()
    last = lease(cluster)
    assert last is not None
    assert last[1] > first[1]
