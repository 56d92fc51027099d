"""The node's kubelet goes away until the cluster thinks the node dead, and comes back."""

from __future__ import annotations

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.traffic import Traffic

GRACE_S = 180.0


def node_is_ready(cluster: Cluster) -> bool:
    (node,) = cluster.list("nodes")
    return any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"]["conditions"])


def test_a_kubelet_that_stops_and_starts_again_loses_no_message(cluster: Cluster, home: Household) -> None:
    with Traffic(cluster, home) as traffic:
        traffic.more(6)
        cluster.service("stop", "kubelet")
        try:
            traffic.more(4)
            eventually(
                lambda: not node_is_ready(cluster), timeout_s=GRACE_S, pause_s=3, what="the node is not ready"
            )
        finally:
            cluster.service("start", "kubelet")
        eventually(
            lambda: node_is_ready(cluster), timeout_s=GRACE_S, pause_s=2, what="the node is ready again"
        )
        cluster.ready("butler,connector", timeout_s=240)
        traffic.more(6)
    traffic.check()
