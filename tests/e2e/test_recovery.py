"""What ends on the cluster comes back, and no message is lost or answered twice on the way."""

from __future__ import annotations

import secrets
from collections import Counter

import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import ADA, Household

MESSAGES = 5
SETTLED_S = 240.0
OPERATOR = "app.kubernetes.io/name=butlers-operator"
DATABASE = "app.kubernetes.io/name=butlers-postgresql"


def sums(count: int) -> list[str]:
    """Sums that no other message of the run names; below a thousand, where an answer writes them the same way."""
    numbers = secrets.SystemRandom().sample(range(10_000, 100_000), count)
    return [f"{number // 100}.{number % 100:02}" for number in numbers]


def told(household: Household, wanted: list[str]) -> Counter[str]:
    """How often Ada was told of each sum."""
    texts = [one["text"] for one in household.told_by_telegram() if one["chat_id"] == ADA]
    return Counter({amount: sum(amount in text for text in texts) for amount in wanted})


def every_one_answered_once(household: Household, wanted: list[str]) -> None:
    def all_told() -> bool:
        return all(told(household, wanted)[amount] for amount in wanted)

    eventually(all_told, timeout_s=SETTLED_S, what="an answer to every message")
    assert told(household, wanted) == Counter(dict.fromkeys(wanted, 1))


@pytest.mark.parametrize("butler", ["switchboard", "messenger", "finance"])
def test_a_butler_that_is_killed_loses_no_message(
    cluster: Cluster, household: Household, butler: str
) -> None:
    wanted = sums(MESSAGES)
    for number, amount in enumerate(wanted):
        household.say(f"Paid {amount} EUR for groceries")
        if number == 1:
            where = f"butlers.dev/name={butler},butlers.dev/kind=Butler"
            cluster.kubectl(
                "delete",
                "pods",
                "--selector",
                where,
                "--grace-period=0",
                "--force",
                "--namespace",
                cluster.namespace,
            )
    every_one_answered_once(household, wanted)
    cluster.ready("butler,connector")


def test_a_connector_that_is_killed_goes_on_where_it_was(cluster: Cluster, household: Household) -> None:
    wanted = sums(MESSAGES)
    for number, amount in enumerate(wanted):
        household.say(f"Paid {amount} EUR for groceries")
        if number == 1:
            cluster.kubectl(
                "delete", "pods", "--selector", "butlers.dev/name=telegram,butlers.dev/kind=Connector",
                "--grace-period=0", "--force", "--namespace", cluster.namespace,
            )  # fmt: skip
    every_one_answered_once(household, wanted)


def test_a_database_that_is_killed_loses_no_message(cluster: Cluster, household: Household) -> None:
    wanted = sums(MESSAGES)
    for number, amount in enumerate(wanted):
        household.say(f"Paid {amount} EUR for groceries")
        if number == 1:
            cluster.kubectl(
                "delete",
                "pods",
                "--selector",
                DATABASE,
                "--grace-period=0",
                "--force",
                "--namespace",
                cluster.namespace,
            )
    every_one_answered_once(household, wanted)
    cluster.ready("butler,connector")


def test_a_household_works_on_without_its_operator_and_the_operator_comes_back(
    cluster: Cluster, household: Household
) -> None:
    system = "butlers-system"
    old = {pod["metadata"]["uid"] for pod in cluster.list("pods", selector=OPERATOR, namespace=system)}
    cluster.kubectl("delete", "pods", "--selector", OPERATOR, "--wait=false", "--namespace", system)
    wanted = sums(1)
    household.say(f"Paid {wanted[0]} EUR for groceries")
    every_one_answered_once(household, wanted)

    def another() -> bool:
        pods = cluster.list("pods", selector=OPERATOR, namespace=system)
        ready = [pod for pod in pods if _is_ready(pod)]
        return bool(ready) and all(pod["metadata"]["uid"] not in old for pod in ready)

    eventually(another, timeout_s=SETTLED_S, what="another operator that is ready")


def _is_ready(pod: dict[str, object]) -> bool:
    status = pod["status"]
    assert isinstance(status, dict)
    return any(one["type"] == "Ready" and one["status"] == "True" for one in status.get("conditions") or [])
