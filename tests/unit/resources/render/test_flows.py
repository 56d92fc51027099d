"""The flow matrix: rendered whole, rendered once, and written down where people look for it.

After a wanted change of the matrix: `python -m tests.unit.resources.render.test_flows` writes the table anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from butler_resources.kinds import Butler, Connector
from butler_resources.render.cluster import FLOWS, Flow, Party, render_namespace
from butler_resources.render.cluster.flows import HOUSEHOLD, Ports
from butler_resources.render.cluster.networkpolicy import party_of, provider_ports
from tests.unit.resources.render.households import (
    PLACE,
    Manifest,
    Resource,
    changed,
    child,
    demo,
    one,
    template,
)

DOCUMENT = Path(__file__).parents[4] / "docs" / "reference" / "flows.md"
HEAD = "| flow | from | to | port | for |\n|---|---|---|---|---|\n"
ACTING = {"app.kubernetes.io/name": "butlers-dashboard"}
WATCHED = replace(PLACE, metrics_namespace="monitoring", extra_egress_ports=(4318,), dashboard_pods=ACTING)
DNS = {(port, protocol) for port in (53, 5353) for protocol in ("UDP", "TCP")}


@dataclass(frozen=True)
class Pod:
    """A pod as a policy sees it."""

    namespace: str
    labels: tuple[tuple[str, str], ...]
    ports: tuple[tuple[str, int], ...] = ()


def pod_of(resource: Resource) -> Pod:
    pod = template(resource)
    (process,) = pod["spec"]["containers"]
    ports = tuple((port["name"], port["containerPort"]) for port in process["ports"])
    return Pod(PLACE.namespace, tuple(pod["metadata"]["labels"].items()), ports)


OPERATOR = Pod(PLACE.operator_namespace, tuple(PLACE.operator_pods.items()))
PROMETHEUS = Pod("monitoring", (("app", "prometheus"),))
DASHBOARD = Pod(PLACE.namespace, tuple(ACTING.items()))
STRANGER = Pod(PLACE.namespace, (("app", "stranger"),), (("http", 8080),))
POLICIES = [*(child(found, "NetworkPolicy", WATCHED) for found in demo()), *render_namespace(WATCHED)]


def selects(selector: Manifest, labels: tuple[tuple[str, str], ...]) -> bool:
    wanted: dict[str, str] = selector.get("matchLabels", {})
    return wanted.items() <= dict(labels).items()


def is_peer(peer: Manifest, pod: Pod) -> bool:
    space = {"kubernetes.io/metadata.name": pod.namespace}
    if "namespaceSelector" in peer:
        inside = selects(peer["namespaceSelector"], tuple(space.items()))
    else:
        inside = pod.namespace == PLACE.namespace
    return inside and selects(peer.get("podSelector", {}), pod.labels)


def allows(side: str, me: Pod, other: Pod, port: str, target: Pod) -> bool:
    """Whether `me` may on this side connect with `other` at the named port of `target`."""
    mine = [
        policy["spec"]
        for policy in POLICIES
        if me.namespace == PLACE.namespace and selects(policy["spec"]["podSelector"], me.labels)
    ]
    if not mine:
        return True
    numbers = {port, dict(target.ports).get(port)}
    return any(
        any(entry["port"] in numbers for entry in rule["ports"])
        and (("from" not in rule and "to" not in rule) or any(is_peer(peer, other) for peer in peers(rule)))
        for spec in mine
        for rule in spec.get(side, [])
    )


def peers(rule: Manifest) -> list[Manifest]:
    found: list[Manifest] = rule.get("from") or rule.get("to") or []
    return found


def connects(source: Pod, target: Pod, port: str) -> bool:
    return allows("egress", source, target, port, target) and allows("ingress", target, source, port, target)


def in_matrix(source: Party, target: Party, ports: Ports) -> bool:
    return any(source in flow.sources and target in flow.targets and flow.ports is ports for flow in FLOWS)


def test_a_household_s_processes_reach_each_other_exactly_where_the_matrix_says_so() -> None:
    tried = 0
    for source in demo():
        for target in demo():
            if source is not target:
                wanted = in_matrix(party_of(source), party_of(target), Ports.HTTP)
                assert connects(pod_of(source), pod_of(target), "http") is wanted, (source.name, target.name)
                tried += 1
    assert tried == 90


@pytest.mark.parametrize(
    ("source", "party"),
    [(OPERATOR, Party.OPERATOR), (PROMETHEUS, Party.MONITORING), (DASHBOARD, Party.DASHBOARD)],
    ids=["operator", "metrics", "dashboard"],
)
def test_whoever_is_outside_reaches_what_the_matrix_says(source: Pod, party: Party) -> None:
    for target in demo():
        assert connects(source, pod_of(target), "http") is in_matrix(party, party_of(target), Ports.HTTP)


@pytest.mark.parametrize("name", [found.name for found in demo()])
def test_a_stranger_reaches_nothing_but_the_webhook_s_posts(name: str) -> None:
    elsewhere = replace(STRANGER, namespace="elsewhere")
    disguised = (replace(elsewhere, labels=known.labels) for known in (OPERATOR, DASHBOARD))
    for source in (STRANGER, elsewhere, *disguised):
        assert not connects(source, pod_of(one(name)), "http")
        assert connects(source, pod_of(one(name)), "webhook") is (name == "webhook")


def test_a_pod_without_a_policy_of_its_own_yet_reaches_nothing_and_is_not_reached() -> None:
    early = Pod(PLACE.namespace, (("app.kubernetes.io/managed-by", "butlers-operator"),), (("http", 40107),))
    assert not connects(early, pod_of(one("switchboard")), "http")
    assert not connects(STRANGER, early, "http")
    assert connects(early, early, "http") is False


def opened(resource: Resource) -> set[tuple[Any, str]]:
    """The ports that `resource` may reach anywhere."""
    rules = child(resource, "NetworkPolicy")["spec"]["egress"]
    return {
        (entry["port"], entry["protocol"]) for rule in rules if "to" not in rule for entry in rule["ports"]
    }


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("switchboard", {5432}),
        ("finance", {5432}),
        ("messenger", {5432, 40181, 40125, 40143}),
        ("telegram", {40181}),
        ("mail", {40143}),
        ("webhook", set()),
    ],
)
def test_outside_only_the_ports_of_the_manifest_are_open(name: str, more: set[int]) -> None:
    assert opened(one(name)) == DNS | {(port, "TCP") for port in more}


def test_a_collector_that_the_manifest_names_is_open_to_its_butler_alone() -> None:
    traced = changed(one("finance"), telemetry={"otlpEndpoint": "http://collector.observability:4318"})
    assert opened(traced) == opened(one("finance")) | {(4318, "TCP")}


@pytest.mark.parametrize(
    ("url", "port"),
    [
        (None, 443),
        ("https://api.example.org/bot", 443),
        ("http://bots.example.org", 80),
        ("http://10.0.0.1:8081/x", 8081),
        ("https://[::1]:8443", 8443),
        ("https://a:99999", 443),
    ],
)
def test_a_bot_api_server_is_reached_at_the_port_of_its_url(url: str | None, port: int) -> None:
    source: dict[str, Any] = {"tokenSecretRef": {"name": "telegram-bot", "key": "token"}}
    source |= {} if url is None else {"apiBaseUrl": url}
    assert provider_ports(changed(one("telegram"), telegramBot=source)) == (port,)


def test_the_mailboxes_of_sent_and_of_incoming_mail_open_their_ports_too() -> None:
    bot = {
        "address": "a@example.org",
        "passwordSecretRef": {"name": "mail-account", "key": "password"},
        "smtp": {"host": "m", "port": 465},
        "sentMailbox": {"host": "m", "port": 993},
        "inbox": {"host": "m", "port": 1143},
    }
    assert provider_ports(changed(one("messenger"), modules={"email": {"bot": bot}})) == (465, 993, 1143)


def test_a_database_in_the_namespace_is_reached_at_its_pods_only() -> None:
    place = replace(PLACE, database_pods={"app.kubernetes.io/name": "postgresql"}, database_port=6432)
    rules = child(one("finance"), "NetworkPolicy", place)["spec"]["egress"]
    (rule,) = (rule for rule in rules if rule["ports"] == [{"port": 6432, "protocol": "TCP"}])
    assert rule["to"] == [{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "postgresql"}}}]


def test_a_database_of_a_butler_s_own_is_reached_wherever_it_is() -> None:
    place = replace(PLACE, database_pods={"app.kubernetes.io/name": "postgresql"}, database_port=6432)
    own = changed(one("finance"), database={"secretRef": {"name": "finance-app", "key": "uri"}})
    rules = child(own, "NetworkPolicy", place)["spec"]["egress"]
    assert {"ports": [{"port": 5432, "protocol": "TCP"}]} in rules
    assert "6432" not in str(rules)


def household_resources() -> Iterator[tuple[Party, Resource]]:
    for resource in demo():
        assert isinstance(resource, Butler | Connector)
        yield party_of(resource), resource


def rules_of(resource: Resource, side: str) -> int:
    return len(child(resource, "NetworkPolicy", WATCHED)["spec"].get(side, []))


def test_every_flow_is_rendered_once_at_each_end_in_the_household() -> None:
    for party, resource in household_resources():
        opens = [flow for flow in FLOWS if party in flow.sources and has_ports(flow, resource)]
        takes = [flow for flow in FLOWS if party in flow.targets and has_ports(flow, resource)]
        assert (rules_of(resource, "egress"), rules_of(resource, "ingress")) == (len(opens), len(takes))


def has_ports(flow: Flow, resource: Resource) -> bool:
    if flow.ports is Ports.PROVIDER:
        return bool(provider_ports(resource))
    if flow.ports is Ports.COLLECTOR:
        return False  # no resource of the demo is traced
    return flow.ports is not Ports.WEBHOOK or resource.name == "webhook"


def test_every_flow_has_an_end_in_the_household_a_name_and_a_purpose() -> None:
    assert len({flow.name for flow in FLOWS}) == len(FLOWS)
    for flow in FLOWS:
        assert {*flow.sources, *flow.targets} & {*HOUSEHOLD, Party.SPARK}
        assert flow.purpose


def test_no_address_is_guessed() -> None:
    assert "ipBlock" not in str(POLICIES)


def test_what_the_place_does_not_open_is_closed() -> None:
    plain = [child(found, "NetworkPolicy") for found in demo()]
    assert "monitoring" not in str(plain)
    assert "4318" not in str(plain)
    assert [{"port": 4318, "protocol": "TCP"}] in [rule["ports"] for rule in POLICIES[0]["spec"]["egress"]]


def table() -> str:
    """The matrix as the document shows it."""

    def row(flow: Flow) -> str:
        cells = (flow.name, ", ".join(flow.sources), ", ".join(flow.targets), flow.ports, flow.purpose)
        return "| " + " | ".join(cells) + " |\n"

    return HEAD + "".join(map(row, FLOWS))


def test_the_document_shows_the_matrix() -> None:
    assert table() in DOCUMENT.read_text(encoding="utf-8")


def write() -> None:
    """Put the table into the document in place of the one that is there."""
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(HEAD)
    after = rest[rest.index("\n\n") + 1 :]
    DOCUMENT.write_text(before + table() + after, encoding="utf-8")


if __name__ == "__main__":
    write()
