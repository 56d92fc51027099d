"""The development cluster's NetworkPolicy agent: policies in, nftables matches out."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.netpol import World, render, selects


def pod(
    name: str, address: str, *, namespace: str = "home", port: int = 8080, **labels: str
) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"containers": [{"ports": [{"name": "http", "containerPort": port}]}]},
        "status": {"phase": "Running", "podIP": address},
    }


def policy(spec: dict[str, Any], *, namespace: str = "home") -> dict[str, Any]:
    return {"metadata": {"name": "p", "namespace": namespace}, "spec": {"podSelector": {}, **spec}}


WEB = pod("web", "10.0.0.2", app="web")
CLIENT = pod("client", "10.0.0.3", app="client", port=9000)
STRANGER = pod("stranger", "10.0.0.4", namespace="other", app="client")
SPACES = {"home": {"kubernetes.io/metadata.name": "home"}, "other": {"kubernetes.io/metadata.name": "other"}}


def allowed(*policies: dict[str, Any], side: str, address: str = "10.0.0.2") -> list[str] | None:
    """What the table lets through for one side of one pod; None when that side is not isolated."""
    text = render(World([WEB, CLIENT, STRANGER], policies, SPACES))
    name = f"chain {side}-{address.replace('.', '-')} {{"
    if name not in text:
        return None
    lines = [line.strip() for line in text.split(name, 1)[1].split("}", 1)[0].splitlines() if line.strip()]
    assert lines[-1] == "counter drop"
    return [line.removesuffix("return").strip() for line in lines[:-1]]


def test_a_pod_that_no_policy_selects_is_open() -> None:
    assert allowed(side="ingress") is None


def test_a_policy_without_rules_closes_the_sides_it_names() -> None:
    deny = policy({"policyTypes": ["Ingress"]})
    assert allowed(deny, side="ingress") == []
    assert allowed(deny, side="egress") is None


def test_a_policy_with_egress_rules_and_no_types_closes_both_sides() -> None:
    both = policy({"egress": []})
    assert (allowed(both, side="ingress"), allowed(both, side="egress")) == ([], [])


def test_a_pod_selector_names_pods_of_the_policy_s_own_namespace() -> None:
    rule = {"from": [{"podSelector": {"matchLabels": {"app": "client"}}}], "ports": [{"port": "http"}]}
    assert allowed(policy({"ingress": [rule]}), side="ingress") == ["ip saddr 10.0.0.3 tcp dport 8080"]


def test_a_namespace_selector_reaches_other_namespaces() -> None:
    peer = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "other"}}}
    assert allowed(policy({"ingress": [{"from": [peer]}]}), side="ingress") == ["ip saddr 10.0.0.4"]


def test_a_named_egress_port_is_the_port_of_the_other_pod() -> None:
    rule = {"to": [{"podSelector": {"matchLabels": {"app": "client"}}}], "ports": [{"port": "http"}]}
    assert allowed(policy({"egress": [rule]}), side="egress") == ["ip daddr 10.0.0.3 tcp dport 9000"]


def test_an_address_block_keeps_its_exceptions_and_ranges_keep_their_end() -> None:
    rule = {
        "to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8"]}}],
        "ports": [{"port": 1000, "endPort": 1010}],
    }
    expected = ["ip daddr 0.0.0.0/0 ip daddr != 10.0.0.0/8 tcp dport 1000-1010"]
    assert allowed(policy({"egress": [rule]}), side="egress") == expected


def test_a_rule_with_ports_alone_is_open_to_everyone() -> None:
    rule = {"ports": [{"port": 53, "protocol": "UDP"}, {"protocol": "TCP"}]}
    assert allowed(policy({"ingress": [rule]}), side="ingress") == ["meta l4proto tcp", "udp dport 53"]


def test_policies_of_one_pod_add_up() -> None:
    first = policy({"ingress": [{"ports": [{"port": 1}]}]})
    second = policy({"ingress": [{"ports": [{"port": 2}]}]})
    assert allowed(first, second, side="ingress") == ["tcp dport 1", "tcp dport 2"]


def test_a_finished_pod_and_one_on_the_node_s_network_have_no_address_of_their_own() -> None:
    done = {**WEB, "status": {"phase": "Succeeded", "podIP": "10.0.0.2"}}
    hosted = {**WEB, "spec": {**WEB["spec"], "hostNetwork": True}}
    for one in (done, hosted):
        assert " jump " not in render(World([one], [policy({"policyTypes": ["Ingress"]})], SPACES))


@pytest.mark.parametrize(
    ("expression", "matches"),
    [
        ({"key": "app", "operator": "In", "values": ["web", "db"]}, True),
        ({"key": "app", "operator": "NotIn", "values": ["web"]}, False),
        ({"key": "tier", "operator": "NotIn", "values": ["web"]}, True),
        ({"key": "app", "operator": "Exists"}, True),
        ({"key": "app", "operator": "DoesNotExist"}, False),
    ],
)
def test_expressions_select_as_the_api_says(expression: dict[str, Any], matches: bool) -> None:
    assert selects({"matchExpressions": [expression]}, {"app": "web"}) is matches
