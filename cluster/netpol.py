"""Enforce NetworkPolicy on the node: watch the API server, keep one nftables table. Standard library and `nft` only.

Covers ingress and egress of networking.k8s.io/v1: pod, namespace and address-block peers, numeric and named ports and
port ranges, over IPv4. As the API says, traffic between a pod and its own node (probes, the API server) is always
allowed. A change takes about a second; connections that are open when a policy appears stay open.
Bridged traffic passes the forward hook because bridge-nf-call-iptables is set.

    netpol.py SERVER AUTHORITY CERTIFICATE KEY
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PATHS = ("/api/v1/pods", "/api/v1/namespaces", "/apis/networking.k8s.io/v1/networkpolicies")
SIDES = (("egress", "saddr"), ("ingress", "daddr"))
HEAD = "add table ip netpol\ndelete table ip netpol\ntable ip netpol {\n"
BASE = (
    "  chain forward {\n"
    "    type filter hook forward priority -5; policy accept;\n"
    "    ct state established,related accept\n"
)

Manifest = Mapping[str, Any]


@dataclass(frozen=True)
class World:
    """What the API server holds: pods, policies, and the labels of each namespace."""

    pods: Sequence[Manifest]
    policies: Sequence[Manifest]
    namespaces: Mapping[str, Mapping[str, str]]


def selects(selector: Manifest | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector matches; an empty selector matches everything."""
    selector = selector or {}
    wanted = selector.get("matchLabels") or {}
    expressions = selector.get("matchExpressions") or []
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _holds(expression, labels) for expression in expressions
    )


def _holds(expression: Manifest, labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values") or []
    match expression["operator"]:
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    raise ValueError(f"unknown operator {expression['operator']}")


def render(world: World) -> str:
    """The whole nftables table: one chain for each isolated side of each pod."""
    chains, jumps = [], []
    for pod in sorted(world.pods, key=lambda one: (_namespace(one), one["metadata"]["name"])):
        address = address_of(pod)
        if address is None:
            continue
        for side, field in SIDES:
            mine = [policy for policy in world.policies if _applies(policy, pod, side)]
            if not mine:
                continue
            name = f"{side}-{address.replace('.', '-')}"
            allowed = sorted({match for policy in mine for match in _allowed(policy, side, pod, world)})
            body = "".join("    " + f"{match} return\n".lstrip() for match in allowed)
            chains.append(f"  chain {name} {{\n{body}    counter drop\n  }}\n")
            jumps.append(f"    ip {field} {address} jump {name}\n")
    return f"{HEAD}{''.join(chains)}{BASE}{''.join(jumps)}  }}\n}}\n"


def address_of(pod: Manifest) -> str | None:
    """The pod's own IPv4 address while it can send or receive."""
    status = pod.get("status", {})
    if pod["spec"].get("hostNetwork") or status.get("phase") in ("Succeeded", "Failed"):
        return None
    address: str | None = status.get("podIP")
    return address if address and ":" not in address else None


def _namespace(thing: Manifest) -> str:
    return str(thing["metadata"]["namespace"])


def _labels(thing: Manifest) -> Mapping[str, str]:
    return thing["metadata"].get("labels") or {}


def _applies(policy: Manifest, pod: Manifest, side: str) -> bool:
    spec = policy["spec"]
    types = spec.get("policyTypes") or ["Ingress", *(["Egress"] if "egress" in spec else [])]
    return (
        _namespace(policy) == _namespace(pod)
        and side.capitalize() in types
        and selects(spec.get("podSelector"), _labels(pod))
    )


def _allowed(policy: Manifest, side: str, pod: Manifest, world: World) -> Iterator[str]:
    """Yield the nftables matches that one policy allows for `pod`."""
    for rule in policy["spec"].get(side) or []:
        for match, other in _peers(rule, side, _namespace(policy), world):
            if not rule.get("ports"):
                yield match
            for port in rule.get("ports") or []:
                found = _port(port, pod if side == "ingress" else other)
                if found:
                    yield f"{match} {found}".strip()


def _peers(rule: Manifest, side: str, namespace: str, world: World) -> Iterator[tuple[str, Manifest | None]]:
    """Yield each peer of a rule: the match of its address, and its pod if it is one."""
    field, peers = ("saddr", rule.get("from")) if side == "ingress" else ("daddr", rule.get("to"))
    if not peers:
        yield "", None
        if side == "egress":  # a named port is resolved at the other pod
            yield from ((f"ip daddr {address_of(pod)}", pod) for pod in world.pods if address_of(pod))
    for peer in peers or []:
        if "ipBlock" in peer:
            yield from ((match, None) for match in _block(peer["ipBlock"], field))
            continue
        for pod in world.pods:
            if _is_peer(peer, pod, namespace, world) and address_of(pod):
                yield f"ip {field} {address_of(pod)}", pod


def _block(block: Manifest, field: str) -> Iterator[str]:
    if ipaddress.ip_network(block["cidr"], strict=False).version == 4:
        without = "".join(f" ip {field} != {cidr}" for cidr in block.get("except") or [] if ":" not in cidr)
        yield f"ip {field} {block['cidr']}{without}"


def _is_peer(peer: Manifest, pod: Manifest, namespace: str, world: World) -> bool:
    where = _namespace(pod)
    if "namespaceSelector" in peer:
        if not selects(peer["namespaceSelector"], world.namespaces.get(where, {})):
            return False
    elif where != namespace:
        return False
    return selects(peer.get("podSelector"), _labels(pod))


def _port(entry: Manifest, pod: Manifest | None) -> str | None:
    """The match of one policy port; None when the pod has no port of that name."""
    protocol, port = entry.get("protocol", "TCP").lower(), entry.get("port")
    if port is None:
        return f"meta l4proto {protocol}"
    if isinstance(port, str):
        for container in pod["spec"]["containers"] if pod else []:
            for one in container.get("ports") or []:
                if one.get("name") == port and one.get("protocol", "TCP").lower() == protocol:
                    return f"{protocol} dport {one['containerPort']}"
        return None
    last = entry.get("endPort")
    return f"{protocol} dport {port}-{last}" if last else f"{protocol} dport {port}"


@dataclass(frozen=True)
class Api:
    """The API server, reached with a client certificate."""

    server: str
    authority: str
    certificate: str
    key: str

    def connect(self, timeout_s: float) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=self.authority)
        context.load_cert_chain(self.certificate, self.key)
        return http.client.HTTPSConnection(self.server, context=context, timeout=timeout_s)

    def items(self, path: str) -> list[Manifest]:
        connection = self.connect(10)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            body = response.read()
            if response.status != 200:
                raise OSError(f"{path}: HTTP {response.status}")
            found: list[Manifest] = json.loads(body)["items"]
            return found
        finally:
            connection.close()

    def follow(self, path: str, changed: threading.Event) -> None:
        """Set the event whenever the API server reports a change, forever."""
        while True:
            try:
                connection = self.connect(330)
                connection.request("GET", f"{path}?watch=true&timeoutSeconds=300")
                response = connection.getresponse()
                changed.set()
                while response.status == 200 and response.readline():
                    changed.set()
            except (OSError, http.client.HTTPException) as error:
                print(f"{time.strftime('%T')} watch of {path}: {error!r}", flush=True)
            time.sleep(1)

    def world(self) -> World:
        pods, spaces, policies = (self.items(path) for path in PATHS)
        return World(pods, policies, {space["metadata"]["name"]: _labels(space) for space in spaces})


def enforce(api: Api) -> None:
    """Keep the table as the policies say, forever."""
    changed = threading.Event()
    for path in PATHS:
        threading.Thread(target=api.follow, args=(path, changed), daemon=True).start()
    current = ""
    while True:
        changed.wait(30)
        time.sleep(0.1)  # gathers a burst
        changed.clear()
        try:
            wanted = render(api.world())
            if wanted != current:
                subprocess.run(["nft", "-f", "-"], input=wanted, text=True, check=True)  # noqa: S607
                current = wanted
                print(f"{time.strftime('%T')} {wanted.count(' jump ')} isolated sides", flush=True)
        except (
            OSError,
            ValueError,
            KeyError,
            http.client.HTTPException,
            subprocess.CalledProcessError,
        ) as error:
            print(f"{time.strftime('%T')} {error!r}", flush=True)
            changed.set()
            time.sleep(1)


if __name__ == "__main__":
    enforce(Api(*sys.argv[1:5]))
