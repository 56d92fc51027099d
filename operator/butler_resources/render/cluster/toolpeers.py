"""PURE: where the tool servers of a manifest are, as far as their addresses say it, for a NetworkPolicy.

A name of a Service says its namespace, and an address is an address: nothing else on that port is open. Any other name
is looked up outside of the cluster, where only the port is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from butler_resources.kinds import Butler

__all__ = ["located", "port_of_url", "unlocated_ports"]

NAMESPACE_NAME: Final = "kubernetes.io/metadata.name"

Peer = dict[str, Any]


def located(butler: Butler, namespace: str) -> Iterator[tuple[Peer, int]]:
    """Yield the peer and port of each tool server whose address says where it is, each once."""
    seen: list[tuple[Peer, int]] = []
    for server in butler.spec.tools:
        peer = _peer(urlsplit(server.url).hostname or "", namespace)
        found = (peer, port_of_url(server.url)) if peer is not None else None
        if found is not None and found not in seen:
            seen.append(found)
            yield found


def unlocated_ports(butler: Butler) -> Iterator[int]:
    """Yield the ports of the other ones."""
    for server in butler.spec.tools:
        if _peer(urlsplit(server.url).hostname or "", "") is None:
            yield port_of_url(server.url)


def port_of_url(url: str) -> int:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:  # an invalid port; the process reports it when it starts
        port = None
    return port or (443 if parts.scheme == "https" else 80)


def _peer(host: str, namespace: str) -> Peer | None:
    try:
        address = ip_address(host)
    except ValueError:
        return _of_service(host.rstrip(".").split("."), namespace)
    return {"ipBlock": {"cidr": f"{address}/{address.max_prefixlen}"}}


def _of_service(labels: list[str], namespace: str) -> Peer | None:
    """Return the pods of the namespace of a Service: NAME, NAME.NAMESPACE.svc, and with the cluster's domain."""
    if len(labels) == 1:
        return {"podSelector": {}}
    if len(labels) >= 3 and labels[2] == "svc":
        named = {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: labels[1]}}}
        return {"podSelector": {}} if labels[1] == namespace else named
    return None
