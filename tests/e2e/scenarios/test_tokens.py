"""Tokens in the wrong hands: another endpoint, another receiver, another's name, nobody's account, a revoked one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jwt
import pytest

from butler_kit.mcp import AuthenticationRefused, ToolError
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.callers import Service, service, token
from tests.support.switchboard import telegram

OWN, OTHER = "telegram:bot:household", "imap:household@example.org"
TOKEN_FILE = "/var/run/butlers/tokens/switchboard"
STRANGER = "passer-by"
REVOKED = "butlers-revoked"


@pytest.fixture
def switchboard(cluster: Cluster, home: Household) -> Iterator[Service]:
    with service(cluster, "switchboard") as found:
        yield found


def stolen(cluster: Cluster, label: str) -> str:
    """The token of a running pod, out of its own file."""
    (pod,) = cluster.list("pods", selector=label)
    container = pod["spec"]["containers"][0]["name"]
    where = ("exec", "--namespace", cluster.namespace, pod["metadata"]["name"], "--container", container)
    return cluster.kubectl(*where, "--", "cat", TOKEN_FILE).strip()


def envelope(**source: str) -> dict[str, Any]:
    made = telegram(10**9, "a message that nobody may submit").to_wire()
    made["source"] |= {"endpoint_identity": OWN} | source
    return made


def refused(switchboard: Service, bearer: str) -> bool:
    """Whether a harmless call with this token is turned away for its token's sake."""
    try:
        switchboard.call(bearer, "connector.heartbeat", heartbeat={})
    except AuthenticationRefused:
        return True
    except ToolError:
        return False
    return False


def refused_anew(cluster: Cluster, bearer: str) -> bool:
    """The same over a port-forward of its own: one does not outlive each wait."""
    with service(cluster, "switchboard") as found:
        return refused(found, bearer)


def lives(cluster: Cluster) -> set[tuple[str, int]]:
    """Switchboard's pods, each with how often it was started again; one that is going is none of them."""
    pods = cluster.list("pods", selector="butlers.dev/name=switchboard,butlers.dev/kind=Butler")
    return {
        (
            pod["metadata"]["uid"],
            sum(one["restartCount"] for one in pod["status"].get("containerStatuses", [])),
        )
        for pod in pods
        if "deletionTimestamp" not in pod["metadata"]
    }


def settled(cluster: Cluster) -> set[tuple[str, int]]:
    """The same once it has been so for a while: what an earlier test rolled out is no answer to this one."""
    seen: list[set[tuple[str, int]]] = []

    def stays() -> bool:
        seen.append(lives(cluster))
        return len(seen) > 2 and seen[-1] == seen[-2] == seen[-3]

    eventually(stays, timeout_s=180, pause_s=4, what="nothing of Switchboard is rolled out any more")
    return seen[-1]


def test_a_connector_s_stolen_token_submits_for_no_other_source(
    cluster: Cluster, switchboard: Service
) -> None:
    bearer = stolen(cluster, "butlers.dev/name=telegram,butlers.dev/kind=Connector")
    for source in (
        {"endpoint_identity": "telegram:bot:other"},
        {"channel": "email", "provider": "imap", "endpoint_identity": OTHER},
        {"channel": "api", "provider": "internal", "endpoint_identity": "webhook:household"},
    ):
        with pytest.raises(ToolError, match=r"is bound to|submits for telegram"):
            switchboard.call(bearer, "ingestion.ingest", envelope=envelope(**source))


def test_a_token_for_another_receiver_opens_nothing(cluster: Cluster, switchboard: Service) -> None:
    for audience in ("messenger", "butler-finance"):
        elsewhere = token(cluster, "connector-telegram", audience=audience)
        assert refused(switchboard, elsewhere)
    assert not refused(switchboard, token(cluster, "connector-telegram"))


def test_a_butler_speaks_in_nobody_else_s_name(cluster: Cluster, switchboard: Service) -> None:
    bearer = stolen(cluster, "butlers.dev/name=finance,butlers.dev/kind=Butler")
    delivery = {"intent": "send", "channel": "telegram", "message": "pay"}
    said = {"schema_version": "notify.v1", "origin_butler": "health", "delivery": delivery}
    with pytest.raises(ToolError, match="origin_butler 'health' is not"):
        switchboard.call(bearer, "notify", notify_request=said)


def test_a_service_account_that_nobody_declared_is_nobody(cluster: Cluster, switchboard: Service) -> None:
    cluster.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": STRANGER}})
    try:
        assert refused(switchboard, token(cluster, STRANGER))
        assert refused(switchboard, token(cluster, "default"))
    finally:
        cluster.kubectl("delete", "serviceaccount", STRANGER, "--namespace", cluster.namespace)


def test_a_revoked_token_is_refused_and_its_account_s_next_one_is_not(
    cluster: Cluster, switchboard: Service
) -> None:
    bearer = token(cluster, "connector-telegram")
    assert not refused(switchboard, bearer)
    before = settled(cluster)
    jti = jwt.decode(bearer, options={"verify_signature": False})["jti"]
    document = json.dumps({"subjects": {}, "tokens": [jti]})
    cluster.apply(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": REVOKED},
         "data": {"revoked.json": document}},
    )  # fmt: skip
    try:
        eventually(
            lambda: refused_anew(cluster, bearer), timeout_s=120, pause_s=3, what="the token is refused"
        )
        assert not refused_anew(cluster, token(cluster, "connector-telegram"))
        assert lives(cluster) == before, "a revocation starts nothing again"
    finally:
        cluster.kubectl("delete", "configmap", REVOKED, "--namespace", cluster.namespace)
