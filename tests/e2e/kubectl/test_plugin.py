"""The plugins on a real cluster: a hold seen from outside, and rights that neither role nor name gives (D4)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.e2e.charts.test_access import binding
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import REPLY_S, Household
from tests.e2e.kubectl.plugin import kubectl


def said(cluster: Cluster, plugin: str, *arguments: str) -> str:
    """What it prints; an AssertionError with its words when it fails."""
    done = kubectl(cluster, plugin, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def released(cluster: Cluster) -> Iterator[None]:
    """Whatever happens, finance is free afterwards."""
    yield
    said(cluster, "butler", "release", "butler/finance", "--reason", "the test is over")
    eventually(lambda: "active" in said_of_finance(cluster), what="finance is active again")


def said_of_finance(cluster: Cluster) -> str:
    return kubectl(cluster, "butler", "status", "butler/finance", "--no-headers").stdout


def routed(cluster: Cluster, household: Household) -> tuple[str, set[str]]:
    """A finance message by the webhook: its id, and the butlers to whom it went."""
    request_id = household.submit("Paid 40.50 EUR for the electricity bill")

    def found() -> set[str]:
        life = json.loads(said(cluster, "butler", "trace", request_id, "-o", "json"))
        return {part["target"] for part in life["subroutes"]}

    return request_id, eventually(found, timeout_s=REPLY_S, what=f"request {request_id} is routed")


def test_a_held_butler_s_messages_go_elsewhere_with_the_reason_until_it_is_released(
    cluster: Cluster, household: Household, released: None
) -> None:
    assert routed(cluster, household)[1] == {"finance"}
    assert said(cluster, "quarantine", "finance", "--reason", "test") == "finance is quarantined\n"
    request_id, targets = routed(cluster, household)
    assert targets == {"general"}
    trace = said(cluster, "butler", "trace", request_id)
    assert "finance (quarantined: test) may get nothing at the moment" in " ".join(trace.split())
    eventually(lambda: "quarantined" in said_of_finance(cluster), what="the status says so")
    assert said(cluster, "butler", "release", "finance", "--reason", "test").startswith("finance is ")
    eventually(lambda: "active" in said_of_finance(cluster), what="finance is active again")
    assert routed(cluster, household)[1] == {"finance"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",), ("get",), ("top",), ("requests",), ("deliveries",), ("dead-letters",), ("backfill",),
        ("approvals",),
        ("logs", "finance", "--tail", "1"), ("quarantine", "finance", "--reason", "x", "--dry-run=server"),
    ],
)  # fmt: skip
def test_every_look_works_on_a_household_that_is_well(cluster: Cluster, arguments: tuple[str, ...]) -> None:
    cluster.ready("butler,connector")
    done = kubectl(cluster, "butler", *arguments)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def user(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """A person who has one of the cluster's roles in the household's namespace."""
    name = f"e2e-plugin-{request.param}"
    cluster.apply(binding(name, request.param))
    yield name
    cluster.kubectl("delete", "rolebinding", name, "--namespace", cluster.namespace)


@pytest.mark.parametrize("user", ["edit"], indirect=True)
def test_whoever_may_edit_may_ask_in_their_own_name(cluster: Cluster, user: str) -> None:
    asked = said(
        cluster,
        "quarantine",
        "butler/finance",
        "--reason",
        "x",
        "--as",
        user,
        "--dry-run=server",
        "-o",
        "json",
    )
    assert json.loads(asked)["spec"]["requestedBy"] == user


@pytest.mark.parametrize("user", ["view"], indirect=True)
def test_whoever_may_view_looks_and_does_not_act(cluster: Cluster, user: str) -> None:
    assert kubectl(cluster, "butler", "get", "--as", user).returncode == 0
    done = kubectl(cluster, "butler", "quarantine", "finance", "--reason", "x", "--as", user)
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"kubectl butler: butler/finance: {user} may not create butleroperations.butlers.dev in namespace "
    )
    assert "ClusterRole edit" in done.stderr


@pytest.mark.parametrize("user", ["view"], indirect=True)
def test_reading_messages_takes_the_reader_s_role(cluster: Cluster, user: str) -> None:
    refused = kubectl(cluster, "butler", "top", "--as", user)
    assert refused.returncode == 1
    assert "the chart's ClusterRole butlers:RELEASE_NAMESPACE:reader gives it" in refused.stderr
    roles = cluster.list("clusterroles", selector="app.kubernetes.io/name=butlers-reader")
    (reader,) = [one["metadata"]["name"] for one in roles]
    given = binding(user, reader)
    given["metadata"]["name"] = f"{user}-reader"
    cluster.apply(given)
    try:
        assert "finance" in said(cluster, "butler", "top", "--as", user)
    finally:
        cluster.kubectl("delete", "rolebinding", f"{user}-reader", "--namespace", cluster.namespace)
