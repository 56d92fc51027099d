"""Who reaches the database and the operator of the running household: the chart's ends of the flow matrix."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster, eventually

TEST = {"app.kubernetes.io/name": "butlers-test", "app.kubernetes.io/instance": INSTALLED[0]}
DATABASE = "butlers-postgresql:5432"
OPERATOR = f"butlers-operator.{INSTALLED[1]}.svc:8080"
TRIES = """
import socket, sys, time
host, port = sys.argv[1].rsplit(":", 1)
for left in reversed(range(3)):
    try:
        socket.create_connection((host, int(port)), timeout=2).close()
        sys.exit("reached")
    except OSError as error:
        print(type(error).__name__, flush=True)
    time.sleep(1 if left else 0)
"""
"""A policy takes a moment to reach a new pod, so a refusal counts when it lasts."""


@pytest.fixture
def reaches(cluster: Cluster) -> Iterator[Any]:
    """Whether a pod with the given labels in the household's namespace can open a connection."""
    made: list[str] = []
    deployment = cluster.get("deployment", "butlers-operator", namespace=INSTALLED[1])
    assert deployment is not None
    image = deployment["spec"]["template"]["spec"]["containers"][0]["image"]

    def ask(labels: dict[str, str], address: str) -> bool:
        made.append(f"e2e-reach-{secrets.token_hex(3)}")
        cluster.apply(pod(made[-1], labels, image, address))
        ended = eventually(lambda: phase(cluster, made[-1]), what="an answer of the pod")
        return ended == "Failed"

    yield ask
    for name in made:
        cluster.kubectl("delete", "pod", name, "--namespace", cluster.namespace, "--wait=false")


def phase(cluster: Cluster, name: str) -> str | None:
    found = cluster.get("pod", name) or {}
    said = str(found.get("status", {}).get("phase"))
    return said if said in ("Succeeded", "Failed") else None


def pod(name: str, labels: dict[str, str], image: str, address: str) -> dict[str, Any]:
    hardened = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    security = {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}}
    command = ["python", "-c", TRIES, address]
    container = {"name": "ask", "image": image, "command": command, "securityContext": hardened}
    spec = {
        "containers": [container], "securityContext": security, "restartPolicy": "Never",
        "automountServiceAccountToken": False,
    }  # fmt: skip
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}


@pytest.mark.parametrize("address", [DATABASE, OPERATOR])
def test_the_pod_of_helm_test_reaches_what_it_asks(reaches: Any, address: str) -> None:
    assert reaches(TEST, address)


@pytest.mark.parametrize("address", [DATABASE, OPERATOR])
def test_nobody_else_reaches_the_database_or_the_operator(reaches: Any, address: str) -> None:
    assert not reaches({}, address)
