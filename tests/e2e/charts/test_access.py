"""Who may do what on a real cluster: the operator, viewers and editors, and nobody in another's name (D4)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster

OPERATOR = f"system:serviceaccount:{INSTALLED[1]}:butlers-operator"


def may(cluster: Cluster, user: str, *what: str) -> bool:
    done = cluster.run("kubectl", "auth", "can-i", "--as", user, "--namespace", cluster.namespace, *what)
    return done.stdout.strip() == "yes"


@pytest.mark.parametrize(
    "what",
    [
        ("get", "secrets"),
        ("update", "secrets/switchboard-signing"),
        ("patch", "butlers.butlers.dev", "--subresource=status"),
        ("create", "deployments.apps"),
        ("watch", "pods"),
        ("get", "/openid/v1/jwks"),
    ],
)
def test_the_operator_may_do_its_work(cluster: Cluster, what: tuple[str, ...]) -> None:
    assert may(cluster, OPERATOR, *what)


@pytest.mark.parametrize(
    "what",
    [
        ("patch", "secrets/butlers-postgresql"),
        ("deletecollection", "secrets"),
        ("delete", "secrets/butlers-postgresql"),
        ("create", "pods"),
        ("create", "pods", "--subresource=exec"),
        ("create", "roles.rbac.authorization.k8s.io"),
        ("delete", "butlers.butlers.dev"),
        ("get", "secrets", "--namespace=kube-system"),
        ("create", "deployments.apps", "--namespace=kube-system"),
    ],
)
def test_the_operator_may_do_nothing_else(cluster: Cluster, what: tuple[str, ...]) -> None:
    assert not may(cluster, OPERATOR, *what)


@pytest.mark.parametrize(
    ("role", "allowed", "refused"),
    [
        ("view", [("get", "butlers.butlers.dev")],
         [("patch", "butlers.butlers.dev"), ("create", "butleroperations.butlers.dev")]),
        ("edit", [("patch", "connectors.butlers.dev"), ("create", "butleroperations.butlers.dev")],
         [("delete", "butleroperations.butlers.dev"), ("patch", "butlers.butlers.dev", "--subresource=status")]),
        ("admin", [("delete", "butleroperations.butlers.dev")],
         [("patch", "butlers.butlers.dev", "--subresource=status")]),
    ],
)  # fmt: skip
def test_the_cluster_s_own_roles_reach_the_household(
    cluster: Cluster, role: str, allowed: list[tuple[str, ...]], refused: list[tuple[str, ...]]
) -> None:
    user = f"e2e-{role}"
    cluster.apply(binding(user, role))
    try:
        assert all(may(cluster, user, *what) for what in allowed)
        assert not any(may(cluster, user, *what) for what in refused)
    finally:
        cluster.kubectl("delete", "rolebinding", user, "--namespace", cluster.namespace)


def binding(user: str, role: str) -> dict[str, Any]:
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{group}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": user},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    }


OPERATION = """
apiVersion: butlers.dev/v1alpha1
kind: ButlerOperation
metadata: {generateName: e2e-}
spec: {action: quarantine, target: {kind: Butler, name: finance}, reason: a test, requestedBy: %s}
"""


def ask(cluster: Cluster, requester: str, *, by: str) -> tuple[int, str]:
    done = cluster.run(
        "kubectl", "create", "--namespace", cluster.namespace, "--dry-run=server", "--filename", "-",
        "--as", by, "--as-group", "system:masters", stdin=OPERATION % requester,
    )  # fmt: skip
    return done.returncode, done.stderr


def test_whoever_asks_in_their_own_name_is_heard(cluster: Cluster) -> None:
    assert ask(cluster, "ana", by="ana") == (0, "")


def test_nobody_asks_in_another_s_name_not_even_an_administrator(cluster: Cluster) -> None:
    code, told = ask(cluster, "ana", by="bob")
    assert code != 0
    assert "spec.requestedBy is 'ana', but you are 'bob': put your own name there" in told


def reading(cluster: Cluster, user: str) -> tuple[int, str]:
    """What becomes of the wish for the token that reads messages."""
    done = cluster.run(
        "kubectl", "create", "token", "butlers-reader", "--audience", "butlers.dev/switchboard", "--as", user,
        "--namespace", cluster.namespace,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("role", ["edit", "admin"])
def test_whoever_may_make_tokens_does_not_read_messages_by_that(cluster: Cluster, role: str) -> None:
    user = f"e2e-{role}-reads"
    cluster.apply(binding(user, role))
    try:
        assert may(cluster, user, "create", "serviceaccounts", "--subresource=token")
        assert not may(cluster, user, "get", "butlers.butlers.dev", "--subresource=messages")
        code, told = reading(cluster, user)
        assert code != 0
        assert f"{user} may not get butlers/messages.butlers.dev in namespace {cluster.namespace}" in told
    finally:
        cluster.kubectl("delete", "rolebinding", user, "--namespace", cluster.namespace)


def test_whoever_has_the_reader_s_role_gets_the_token_that_reads(cluster: Cluster) -> None:
    user, namespace = "e2e-reads", INSTALLED[1]
    cluster.apply(binding(user, f"butlers:{namespace}:reader"))
    try:
        assert may(cluster, user, "get", "butlers.butlers.dev", "--subresource=messages")
        code, told = reading(cluster, user)
        assert (code, told.count(".")) == (0, 2), told
    finally:
        cluster.kubectl("delete", "rolebinding", user, "--namespace", cluster.namespace)
