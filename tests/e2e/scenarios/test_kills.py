"""One pod after the other is killed while messages flow: butlers, a connector, the operator, the database."""

from __future__ import annotations

import contextlib

import pytest

from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.traffic import Traffic

BACK_S = 180.0
TOLD_MOST = 30
"""Chat messages that meet nobody in the meantime: one in a second, for half a minute on a slow machine."""
WHO = {
    "finance": "butlers.dev/kind=Butler,butlers.dev/name=finance",
    "switchboard": "butlers.dev/kind=Butler,butlers.dev/name=switchboard",
    "messenger": "butlers.dev/kind=Butler,butlers.dev/name=messenger",
    "telegram": "butlers.dev/kind=Connector,butlers.dev/name=telegram",
    "operator": "app.kubernetes.io/component=operator",
    "database": "app.kubernetes.io/name=butlers-postgresql",
}


def kill(cluster: Cluster, selector: str, namespace: str) -> None:
    """End the pod without a warning, and wait for another one that is ready."""
    (first,) = ready_pods(cluster, selector, namespace)
    cluster.kubectl("delete", "pod", "--selector", selector, "--namespace", namespace,
                    "--grace-period=0", "--force")  # fmt: skip
    eventually(
        lambda: ready_pods(cluster, selector, namespace) - {first},
        timeout_s=BACK_S, pause_s=2, what=f"another pod of {selector}",
    )  # fmt: skip


def ready_pods(cluster: Cluster, selector: str, namespace: str) -> set[str]:
    return {
        pod["metadata"]["uid"]
        for pod in cluster.list("pods", selector=selector, namespace=namespace)
        for one in pod["status"].get("conditions", [])
        if (one["type"], one["status"]) == ("Ready", "True") and "deletionTimestamp" not in pod["metadata"]
    }


@pytest.mark.parametrize("whom", WHO)
def test_a_pod_that_is_killed_comes_back_and_no_message_is_lost_or_answered_twice(
    cluster: Cluster, home: Household, whom: str
) -> None:
    namespace = INSTALLED[1] if whom == "operator" else cluster.namespace
    with Traffic(cluster, home) as traffic:
        traffic.more(4)
        # Another pod of a specialist takes longer than a chat waits; what the others do can wait for them.
        away = traffic.away(whom, at_most=TOLD_MOST) if whom == "finance" else contextlib.nullcontext()
        with away:
            kill(cluster, WHO[whom], namespace)
        traffic.more(4)
    traffic.check()
