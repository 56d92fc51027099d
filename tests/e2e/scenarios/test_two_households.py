"""Two households on one operator: one is broken in every way, then deleted; the other answers all its messages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household, household_on
from tests.e2e.scenarios.auditing import now
from tests.e2e.scenarios.second import NAMESPACE, WRONG, hung, manifests, operations, orders, untold, watch
from tests.e2e.scenarios.test_kills import WHO
from tests.e2e.scenarios.traffic import Traffic

pytestmark = pytest.mark.e2e_full

BEGUN_S, TOLD_S, BACK_S = 420.0, 240.0, 60.0
GONE_S = 60
"""From the command `kubectl delete namespace` until a living household is no more."""
WISHES = 50
SLOWLY_S = 2.0
"""Between two messages of a channel: the node's processors have two households to look after."""
CHILD, BINDING = "butler-finance", "butlers-operator"


@pytest.fixture
def second(cluster: Cluster, home: Household) -> Iterator[None]:
    """Another household, whole; afterwards neither it nor anything about it is left."""
    place, *rest = manifests()
    cluster.apply(place)
    try:
        watch(cluster, cluster.namespace, NAMESPACE)
        cluster.apply(*rest, namespace=NAMESPACE)
        cluster.ready("butler,connector", namespace=NAMESPACE, timeout_s=BEGUN_S)
        yield
    finally:
        where = ("--ignore-not-found", "--timeout=150s")
        cluster.kubectl("delete", "namespace", NAMESPACE, *where, timeout_s=160)
        watch(cluster, cluster.namespace)


def test_a_household_that_is_broken_in_every_way_and_deleted_harms_no_other(
    cluster: Cluster, home: Household, second: None
) -> None:
    answers(cluster)
    before = operators(cluster)
    with Traffic(cluster, home, pause_s=SLOWLY_S) as traffic:
        traffic.more(4)
        cluster.apply(*WRONG, namespace=NAMESPACE)
        eventually(
            lambda: not untold(cluster), timeout_s=TOLD_S, pause_s=3, what="everything that is wrong is told"
        )
        in_second(cluster, "delete", "butler", "general", "--timeout=60s")
        with hung(cluster, "switchboard"):
            cluster.apply(*orders(WISHES), namespace=NAMESPACE)
            eventually(lambda: operations(cluster), pause_s=2, what="the operator has begun with the wishes")
            come_back(cluster)
        since = now()
        in_second(cluster, "delete", "rolebinding", BINDING)
        eventually(
            lambda: forbidden(cluster, since=since),
            timeout_s=BACK_S, pause_s=2, what="an event about the namespace without rights",
        )  # fmt: skip
        come_back(cluster)
        deleted(cluster)
        assert operators(cluster) == before, "the operator has its own life"
        assert f"namespace {NAMESPACE} does not exist" in watch(cluster, cluster.namespace, NAMESPACE)
        traffic.more(6)
    assert traffic.check() == 0


def answers(cluster: Cluster) -> None:
    """The second household is as alive as the first."""
    with household_on(cluster, namespace=NAMESPACE) as beside:
        asked = beside.submit("Paid 40.50 EUR for the electricity bill")
        assert beside.answer_to(asked, timeout_s=BACK_S)["reply"]


def deleted(cluster: Cluster) -> None:
    """Its namespace with all that lives in it, by an operator that has no rights there any more."""
    cluster.kubectl("delete", "namespace", NAMESPACE, f"--timeout={GONE_S}s", timeout_s=GONE_S + 10)


def in_second(cluster: Cluster, *arguments: str) -> None:
    cluster.kubectl(*arguments, "--namespace", NAMESPACE, timeout_s=70)


def come_back(cluster: Cluster) -> None:
    """The operator makes what somebody deletes of the first household again."""
    first = cluster.get("service", CHILD)
    assert first is not None
    cluster.kubectl("delete", "service", CHILD, "--namespace", cluster.namespace)

    def again() -> bool:
        found = cluster.get("service", CHILD)
        return found is not None and found["metadata"]["uid"] != first["metadata"]["uid"]

    eventually(again, timeout_s=BACK_S, pause_s=1, what=f"{CHILD} is back")


def operators(cluster: Cluster) -> set[tuple[str, int]]:
    """The operator's pods, each with how often it was started again."""
    found = cluster.list("pods", selector=WHO["operator"], namespace=INSTALLED[1])
    return {
        (pod["metadata"]["uid"], sum(one["restartCount"] for one in pod["status"]["containerStatuses"]))
        for pod in found
        if "deletionTimestamp" not in pod["metadata"]
    }


def forbidden(cluster: Cluster, *, since: datetime) -> bool:
    """Whether the operator has told since then of the rights that it lacks, on its own Deployment."""
    return any(
        one.get("reason") == "NamespaceForbidden"
        and NAMESPACE in (one.get("note") or "")
        and datetime.fromisoformat(one["eventTime"]) >= since
        for one in cluster.list("events.events.k8s.io", namespace=INSTALLED[1])
    )
