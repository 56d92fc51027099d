"""A household that nobody touches: three minutes, resyncs included, and not one write."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.scenarios.auditing import now, operator_lists, writes

IDLE = timedelta(minutes=3)
SETTLING = timedelta(seconds=15)
DEADLINE_S = 900.0


def last_change(cluster: Cluster) -> datetime:
    """When a pod or a condition of the household last changed by itself."""
    found = [one for kind in ("pods", "butlers", "connectors") for one in cluster.list(kind)]
    return max(
        datetime.fromisoformat(condition["lastTransitionTime"])
        for one in found
        for condition in (one.get("status") or {}).get("conditions") or []
    )


@pytest.fixture
def quiet_since(cluster: Cluster, often: datetime) -> datetime:
    """The moment since which the household has been idle for three minutes."""

    def idle() -> datetime | None:
        since = max(often, last_change(cluster) + SETTLING)
        return since if now() - since >= IDLE else None

    since = eventually(idle, timeout_s=DEADLINE_S, pause_s=10, what="three minutes without a change of a pod")
    assert since is not None
    return since


def test_three_idle_minutes_with_a_resync_cause_no_write(cluster: Cluster, quiet_since: datetime) -> None:
    assert operator_lists(cluster, since=quiet_since) >= 2
    assert writes(cluster, since=quiet_since) == []


def test_no_pod_of_the_household_breaks_the_strictest_pod_security(cluster: Cluster) -> None:
    """Every pod as it runs is accepted once more by a namespace that warns and enforces `restricted`."""
    for namespace in (cluster.namespace, "butlers-system"):
        found = cluster.get("namespace", namespace, namespace="default")
        assert found is not None
        labels = found["metadata"]["labels"]
        assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
        for pod in cluster.list("pods", namespace=namespace):
            done = cluster.run(
                "kubectl", "create", "--dry-run=server", "--namespace", namespace, "--filename", "-",
                stdin=_copy(pod),
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (0, ""), pod["metadata"]["name"]


def _copy(pod: dict[str, Any]) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"generateName": "copy-", "labels": pod["metadata"].get("labels", {})},
            "spec": pod["spec"],
        }
    )
