"""A node without room: pods that ask for all the processor time that is left on it, and do nothing.

Invariant: it is full for as long as one of them finds no place, because that one takes whatever becomes free. They have
the priority of every pod that names no class: only the operator's class pushes one of them out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from tests.e2e.cluster import Cluster, eventually

__all__ = ["fill", "is_full"]

MOST, REST = "e2e-most", "e2e-rest"
SMALL_M: Final = 50
"""Thousandths of a processor: what a pod of the household asks for."""
PLACED, SMALLS = 2, 5
"""Of so many small pods two find a place at first. They come last, because the scheduler pushes out the youngest."""
FULL_S = 60.0


def fill(cluster: Cluster, namespace: str) -> None:
    """Fill the node by pods in a namespace; whoever deletes the namespace makes room again."""
    most = max(_free_m(cluster) - PLACED * SMALL_M, SMALL_M)
    cluster.apply(_idle(MOST, most, replicas=1), namespace=namespace)
    eventually(
        lambda: _phases(cluster, namespace, MOST) == ["Running"], timeout_s=FULL_S, what="most of the room is taken"
    )  # fmt: skip
    cluster.apply(_idle(REST, SMALL_M, replicas=SMALLS), namespace=namespace)
    eventually(lambda: is_full(cluster, namespace), timeout_s=FULL_S, what="the node is full")


def is_full(cluster: Cluster, namespace: str) -> bool:
    """Whether one of the small pods runs, and another finds no place."""
    waiting = [
        condition
        for pod in _pods(cluster, namespace, REST)
        for condition in pod["status"].get("conditions") or []
        if (condition["type"], condition.get("reason")) == ("PodScheduled", "Unschedulable")
    ]
    return bool(waiting) and "Running" in _phases(cluster, namespace, REST)


def _free_m(cluster: Cluster) -> int:
    """What no pod asks for, as the scheduler counts."""
    (node,) = cluster.list("nodes")
    text = cluster.kubectl("get", "pods", "--all-namespaces", "--output", "json")
    placed = [
        pod
        for pod in json.loads(text)["items"]
        if pod["spec"].get("nodeName") and pod["status"].get("phase") not in ("Succeeded", "Failed")
    ]
    return _milli(node["status"]["allocatable"]["cpu"]) - sum(_asked_m(pod["spec"]) for pod in placed)


def _asked_m(spec: dict[str, Any]) -> int:
    """A pod's own request: its containers' together, or its greediest init container's."""
    first = max(_requests(spec.get("initContainers") or []), default=0)
    return max(first, sum(_requests(spec["containers"])))


def _requests(containers: Iterable[dict[str, Any]]) -> list[int]:
    asked = [(one.get("resources") or {}).get("requests") or {} for one in containers]
    return [_milli(str(one.get("cpu", "0"))) for one in asked]


def _milli(quantity: str) -> int:
    return int(quantity[:-1]) if quantity.endswith("m") else round(float(quantity) * 1000)


def _pods(cluster: Cluster, namespace: str, name: str) -> list[dict[str, Any]]:
    found = cluster.list("pods", selector=f"app={name}", namespace=namespace)
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]


def _phases(cluster: Cluster, namespace: str, name: str) -> list[str]:
    return [str(pod["status"].get("phase")) for pod in _pods(cluster, namespace, name)]


def _idle(name: str, cpu_m: int, *, replicas: int) -> dict[str, Any]:
    """A Deployment of the image of one small program that every node of ours has; it ends at once."""
    labels = {"app": name}
    container = {
        "name": "pause",
        "image": "localhost/pause:1",
        "resources": {"requests": {"cpu": f"{cpu_m}m"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    spec = {
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
    }
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }
