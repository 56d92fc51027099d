"""A Secret that is missing, comes, changes, goes and comes back: what becomes of the pods that read it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from tests.e2e.cluster import Cluster, eventually

NAME = "porch"
HOOK = {
    "apiVersion": "butlers.dev/v1alpha1",
    "kind": "Connector",
    "metadata": {"name": NAME},
    "spec": {
        "type": "webhook",
        "endpointIdentity": "webhook:porch",
        "maxTier": "default",
        "webhook": {"tokenSecretRef": {"name": NAME, "key": "token"}},
    },
}
LOOKED_S = 120.0
CHILD = f"connector-{NAME}"


@pytest.fixture
def porch(cluster: Cluster, often: datetime) -> Iterator[None]:
    """A second webhook, without its Secret."""
    cluster.apply(HOOK)
    yield
    where = ("--namespace", cluster.namespace, "--ignore-not-found", "--timeout=90s")
    cluster.kubectl("delete", "connector", NAME, *where, timeout_s=100)
    cluster.kubectl("delete", "secret", NAME, *where, timeout_s=100)


def give(cluster: Cluster, *, shared: bool = True) -> None:
    """The Secret with a new token."""
    metadata = {"name": NAME, "labels": {"butlers.dev/usable-by": "household"} if shared else {}}
    token = {"token": secrets.token_hex(16)}
    cluster.apply({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": token})


def take(cluster: Cluster) -> None:
    cluster.kubectl("delete", "secret", NAME, "--namespace", cluster.namespace)


def until_resolved(cluster: Cluster, status: str, reason: str) -> dict[str, Any]:
    def there() -> dict[str, Any] | None:
        found = cluster.condition("connector", NAME, "ResolvedRefs")
        return found if found is not None and (found["status"], found["reason"]) == (status, reason) else None

    found = eventually(there, timeout_s=LOOKED_S, pause_s=1, what=f"ResolvedRefs={status}/{reason}")
    assert found is not None
    return found


def children(cluster: Cluster) -> set[str]:
    kinds = "deployments,services,serviceaccounts,networkpolicies,persistentvolumeclaims"
    return {one["kind"] for one in cluster.list(kinds) if one["metadata"]["name"] == CHILD}


def template(cluster: Cluster) -> Any:
    found = cluster.get("deployment", CHILD)
    return None if found is None else found["spec"]["template"]


def pods(cluster: Cluster) -> set[str]:
    return {pod["metadata"]["uid"] for pod in _pods(cluster)}


def until_replaced(cluster: Cluster, former: set[str]) -> set[str]:
    """The one pod that has come for those of `former`, and is ready: there is none at all for a while in between."""

    def there() -> set[str]:
        found = _pods(cluster)
        ready = {pod["metadata"]["uid"] for pod in found if _is_ready(pod)}
        return ready if len(found) == 1 and not ready & former else set()

    return eventually(there, timeout_s=LOOKED_S, pause_s=1, what="another pod is ready")


def _pods(cluster: Cluster) -> list[dict[str, Any]]:
    """Those that are not being ended."""
    found = cluster.list("pods", selector=f"butlers.dev/name={NAME},butlers.dev/kind=Connector")
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]


def _is_ready(pod: dict[str, Any]) -> bool:
    conditions = pod["status"].get("conditions") or []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def test_a_secret_that_is_missing_holds_back_and_one_that_changes_rolls_the_pods(
    cluster: Cluster, porch: None
) -> None:
    missing = until_resolved(cluster, "False", "SecretNotFound")
    assert f"no Secret {NAME} in this namespace" in missing["message"]
    assert children(cluster) == set()

    give(cluster, shared=False)
    unshared = until_resolved(cluster, "False", "SecretNotShared")
    command = f"kubectl label secret {NAME} --namespace={cluster.namespace} butlers.dev/usable-by=household"
    assert unshared["message"].endswith(command)
    assert children(cluster) == set()

    cluster.run(*command.split())
    until_resolved(cluster, "True", "Resolved")
    cluster.ready(f"connector/{NAME}")
    whole, first, running = children(cluster), template(cluster), pods(cluster)

    give(cluster)
    eventually(lambda: template(cluster) != first, timeout_s=LOOKED_S, pause_s=1, what="a new pod template")
    running = until_replaced(cluster, running)
    cluster.ready(f"connector/{NAME}")

    second = template(cluster)
    take(cluster)
    until_resolved(cluster, "False", "SecretNotFound")
    # What runs goes on as it is, whole, until somebody decides.
    assert (children(cluster), template(cluster), pods(cluster)) == (whole, second, running)

    give(cluster)
    until_resolved(cluster, "True", "Resolved")
    eventually(lambda: template(cluster) != second, timeout_s=LOOKED_S, pause_s=1, what="a template for it")
    until_replaced(cluster, running)
    cluster.ready(f"connector/{NAME}")
