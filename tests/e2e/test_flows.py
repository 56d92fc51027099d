"""The flow matrix on a network that enforces it: every connection that it allows opens, every other one does not."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from butler_resources.render.cluster import FLOWS, Party
from butler_resources.render.cluster.flows import BUTLERS, Ports
from tests.e2e.cluster import Cluster, eventually

PARTY_OF_COMPONENT = {
    "switchboard": Party.SWITCHBOARD,
    "messenger": Party.MESSENGER,
    "specialist": Party.SPECIALIST,
    "operator": Party.OPERATOR,
}
TRY = """
import concurrent.futures, json, socket, sys
def opens(address):
    try:
        socket.create_connection(tuple(address), timeout=4).close()
        return True
    except OSError:
        return False
with concurrent.futures.ThreadPoolExecutor(32) as pool:
    print(json.dumps(list(pool.map(opens, json.loads(sys.argv[1])))))
"""


@dataclass(frozen=True)
class Pod:
    """A running pod: who it is in the matrix, where it is, what it listens on."""

    name: str
    namespace: str
    container: str
    address: str
    party: Party | None
    ports: tuple[tuple[str, int], ...]

    def port(self, name: str) -> int:
        return dict(self.ports)[name]


def pods_of(cluster: Cluster, selector: str, *, namespace: str | None = None) -> Iterator[Pod]:
    """The ready pods that the selector finds."""
    for found in cluster.list("pods", selector=selector, namespace=namespace):
        labels, container = found["metadata"]["labels"], found["spec"]["containers"][0]
        component = labels.get("app.kubernetes.io/component", "")
        connector = labels.get("app.kubernetes.io/name") == "connector"
        statuses = found["status"].get("containerStatuses", [])
        ready = bool(statuses) and all(one["ready"] for one in statuses) and "podIP" in found["status"]
        if "deletionTimestamp" in found["metadata"] or not ready:
            continue
        yield Pod(
            name=found["metadata"]["name"],
            namespace=found["metadata"]["namespace"],
            container=container["name"],
            address=found["status"]["podIP"],
            party=Party.CONNECTOR if connector else PARTY_OF_COMPONENT.get(component),
            ports=tuple((port["name"], port["containerPort"]) for port in container.get("ports", [])),
        )


def opened(
    cluster: Cluster, source: Pod, addresses: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], bool]:
    """Which of the addresses `source` can connect to."""
    wanted = list(addresses)
    text = cluster.kubectl(
        "exec", source.name, "--namespace", source.namespace, "--container", source.container,
        "--", "python", "-c", TRY, json.dumps(wanted),
    )  # fmt: skip
    return dict(zip(wanted, json.loads(text), strict=True))


def opened_from(
    cluster: Cluster, sources: Iterable[Pod], addresses: Iterable[tuple[str, int]]
) -> dict[str, dict[tuple[str, int], bool]]:
    """The same for several sources at once, by their names."""
    pods, wanted = list(sources), list(addresses)
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda pod: opened(cluster, pod, wanted), pods)
        return {pod.name: result for pod, result in zip(pods, found, strict=True)}


@pytest.fixture(scope="module")
def household(cluster: Cluster) -> list[Pod]:
    """The pods of Butlers and Connectors, one of each."""
    cluster.ready("butler,connector")
    pods = list(pods_of(cluster, "app.kubernetes.io/managed-by=butlers-operator"))
    assert {pod.party for pod in pods} >= {
        Party.SWITCHBOARD,
        Party.MESSENGER,
        Party.SPECIALIST,
        Party.CONNECTOR,
    }
    return pods


@pytest.fixture(scope="module")
def operator(cluster: Cluster) -> Pod:
    """The operator's own pod."""
    namespaces = cluster.kubectl(
        "get", "namespaces", "--output", "jsonpath={.items[*].metadata.name}"
    ).split()
    found = (
        pod
        for namespace in namespaces
        for pod in pods_of(cluster, "app.kubernetes.io/component=operator", namespace=namespace)
    )
    return next(found)


@pytest.fixture
def stranger(cluster: Cluster, household: list[Pod]) -> Iterator[Pod]:
    """A pod in the household's namespace that belongs to nobody here."""
    name = f"stranger-{secrets.token_hex(3)}"
    cluster.apply(stranger_manifest(name, image_of(cluster, household[0])))
    try:
        (pod,) = eventually(
            lambda: list(pods_of(cluster, f"app={name}")), timeout_s=60, what="the stranger runs"
        )
        yield pod
    finally:
        cluster.kubectl(
            "delete", "pod", name, "--namespace", cluster.namespace, "--wait=false", "--grace-period=0"
        )


def image_of(cluster: Cluster, pod: Pod) -> str:
    found = cluster.get("pod", pod.name)
    assert found is not None
    return str(found["spec"]["containers"][0]["image"])


def stranger_manifest(name: str, image: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "automountServiceAccountToken": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": 65532,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": "stranger",
                    "image": image,
                    "command": ["python", "-c", "import signal; signal.pause()"],
                    "securityContext": {
                        "allowPrivilegeEscalation": False,
                        "readOnlyRootFilesystem": True,
                        "capabilities": {"drop": ["ALL"]},
                    },
                }
            ],
        },
    }


def allowed(source: Pod, target: Pod) -> bool:
    """Whether the matrix has a flow between the two to the target's own port."""
    return any(
        source.party in flow.sources and target.party in flow.targets and flow.ports is Ports.HTTP
        for flow in FLOWS
    )


def by_party(pods: Iterable[Pod]) -> list[Pod]:
    """One pod of each party, because policies know no more than that."""
    return list({pod.party: pod for pod in pods}.values())


def test_the_household_s_pods_reach_each_other_exactly_as_the_matrix_says(
    cluster: Cluster, household: list[Pod]
) -> None:
    targets = {(pod.address, pod.port("http")): pod for pod in household}
    found = opened_from(cluster, by_party(household), targets)
    for source in by_party(household):
        wanted = {at: allowed(source, pod) for at, pod in targets.items() if pod.name != source.name}
        # What a pod opens to itself never leaves it.
        assert {at: found[source.name][at] for at in wanted} == wanted, source.name


def test_the_operator_reaches_switchboard_and_messenger_and_nobody_else(
    cluster: Cluster, household: list[Pod], operator: Pod
) -> None:
    targets = {(pod.address, pod.port("http")): pod for pod in household}
    found = opened(cluster, operator, targets)
    reached = {targets[address].party for address, open_ in found.items() if open_}
    assert reached == {Party.SWITCHBOARD, Party.MESSENGER}


def test_a_stranger_beside_the_household_reaches_only_the_webhook(
    cluster: Cluster, household: list[Pod], stranger: Pod
) -> None:
    pages = [(pod.address, pod.port("http")) for pod in household]
    posts = [(pod.address, pod.port("webhook")) for pod in household if "webhook" in dict(pod.ports)]
    assert posts
    found = opened(cluster, stranger, [*pages, *posts])
    assert [address for address, open_ in found.items() if open_] == posts


def test_only_butlers_reach_the_database(
    cluster: Cluster, household: list[Pod], operator: Pod, stranger: Pod
) -> None:
    (database,) = pods_of(cluster, "app.kubernetes.io/name=butlers-postgresql")
    address = (database.address, database.port("postgresql"))
    sources = [*by_party(household), operator, stranger]
    found = opened_from(cluster, sources, [address])
    for source in sources:
        assert found[source.name] == {address: source.party in BUTLERS}, source.name


def test_names_are_found_and_providers_reached_by_those_whose_manifest_names_them(
    cluster: Cluster, household: list[Pod]
) -> None:
    (providers,) = pods_of(cluster, "app.kubernetes.io/name=providers")
    ports = {name: ("providers", providers.port(name)) for name in ("telegram", "imap", "smtp")}
    connectors = [pod for pod in household if pod.party is Party.CONNECTOR]
    found = opened_from(cluster, {*by_party(household), *connectors}, ports.values())
    reached = {
        pod.rsplit("-", 2)[0]: {name for name, at in ports.items() if opens[at]}
        for pod, opens in found.items()
    }
    assert {name: opens for name, opens in reached.items() if opens} == {
        "butler-messenger": {"telegram", "smtp", "imap"},
        "connector-telegram": {"telegram"},
        "connector-mail": {"imap"},
    }


def test_a_port_that_no_manifest_names_stays_closed(
    cluster: Cluster, household: list[Pod], stranger: Pod
) -> None:
    (providers,) = pods_of(cluster, "app.kubernetes.io/name=providers")
    control = (providers.address, providers.port("smtp-control"))
    assert opened(cluster, stranger, [control]) == {control: True}
    found = opened_from(cluster, by_party(household), [control])
    assert set(map(str, found.values())) == {str({control: False})}
