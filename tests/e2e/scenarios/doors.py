"""The household by the node's own address: a way in that outlives pods, port-forwards and the kubelet.

Invariant: what is opened here is closed with the block, and only the test providers and the webhook are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from tests.e2e.cluster import Cluster
from tests.e2e.household import WEBHOOK_PORT, Household
from tests.support.providers import Ports

__all__ = ["doors_of"]

NAME = "e2e-doors"
PROVIDERS = {"app.kubernetes.io/name": "providers"}
WEBHOOK = {"butlers.dev/kind": "Connector", "butlers.dev/name": "webhook"}
CONTROL = (Ports.TELEGRAM, Ports.IMAP_CONTROL, Ports.SMTP_CONTROL)


@contextlib.contextmanager
def doors_of(cluster: Cluster) -> Iterator[Household]:
    """The demo household, through node ports."""
    cluster.apply(
        _service(f"{NAME}-providers", PROVIDERS, CONTROL),
        _service(f"{NAME}-webhook", WEBHOOK, (WEBHOOK_PORT,)),
        _policy(),
    )
    try:
        node = _address(cluster)
        ports = _node_ports(cluster)
        urls = [f"http://{node}:{ports[port]}" for port in (*CONTROL, WEBHOOK_PORT)]
        yield Household(*urls)
    finally:
        where = ("--namespace", cluster.namespace, "--ignore-not-found")
        cluster.kubectl("delete", "service", f"{NAME}-providers", f"{NAME}-webhook", *where)
        cluster.kubectl("delete", "networkpolicy", NAME, *where)


def _address(cluster: Cluster) -> str:
    (node,) = cluster.list("nodes")
    return next(str(one["address"]) for one in node["status"]["addresses"] if one["type"] == "InternalIP")


def _node_ports(cluster: Cluster) -> dict[int, int]:
    found: dict[int, int] = {}
    for name in ("providers", "webhook"):
        service = cluster.get("service", f"{NAME}-{name}")
        assert service is not None
        found |= {port["port"]: port["nodePort"] for port in service["spec"]["ports"]}
    return found


def _service(name: str, selector: Mapping[str, str], ports: tuple[int, ...]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {
            "type": "NodePort",
            "selector": dict(selector),
            "ports": [{"name": f"p{port}", "port": port, "targetPort": port} for port in ports],
        },
    }


def _policy() -> dict[str, Any]:
    """What comes from outside the cluster may reach the providers' control ports."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": NAME},
        "spec": {
            "podSelector": {"matchLabels": PROVIDERS},
            "policyTypes": ["Ingress"],
            "ingress": [{"ports": [{"port": port, "protocol": "TCP"} for port in CONTROL]}],
        },
    }
