"""How far a NetworkPolicy opens the way to a butler's tool servers (D58)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_resources.render.cluster.networkpolicy import provider_ports, render_networkpolicy
from tests.support.manifests import butler_of
from tests.unit.resources.render.households import PLACE

OWNER = {"uid": "u", "apiVersion": "v", "kind": "k", "name": "n"}
HERE: Any = {"podSelector": {}}
THERE: Any = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "iot"}}}


def home(*urls: str) -> Any:
    tools = [{"name": f"t{n}", "url": url, "allow": ["look"]} for n, url in enumerate(urls)]
    runtime = {"family": "api", "provider": "openai", "model": "m", "baseUrl": "http://ollama:11434/v1"}
    spec = {
        "role": "specialist", "instructions": "Look after lamps.", "triggers": ["lamp"], "runtime": runtime,
        "tools": tools,
    }  # fmt: skip
    return butler_of(spec, name="home")


def tool_rules(butler: Any) -> list[Any]:
    egress = render_networkpolicy(butler, PLACE, OWNER)["spec"]["egress"]
    ours = [HERE, THERE]
    return [rule for rule in egress if any(to in ours or "ipBlock" in to for to in rule.get("to", []))]


@pytest.mark.parametrize(
    ("url", "peer"),
    [
        ("http://lamps:8765/mcp", HERE),
        (f"http://lamps.{PLACE.namespace}.svc:8765/mcp", HERE),
        ("http://lamps.iot.svc:8765/mcp", THERE),
        ("http://lamps.iot.svc.cluster.local:8765/mcp", THERE),
        ("http://192.168.1.7:8765/mcp", {"ipBlock": {"cidr": "192.168.1.7/32"}}),
        ("http://[fd00::7]:8765/mcp", {"ipBlock": {"cidr": "fd00::7/128"}}),
    ],
)
def test_an_address_that_says_where_it_is_opens_its_port_there_alone(url: str, peer: Any) -> None:
    butler = home(url)
    assert tool_rules(butler) == [{"ports": [{"port": 8765, "protocol": "TCP"}], "to": [peer]}]
    assert provider_ports(butler) == (11434,)


@pytest.mark.parametrize("url", ["https://lamps.example.org/mcp", "http://nas.local:443/mcp"])
def test_any_other_name_opens_its_port_to_every_address(url: str) -> None:
    butler = home(url)
    assert tool_rules(butler) == []
    assert provider_ports(butler) == (443, 11434)


def test_two_servers_at_one_place_are_one_rule() -> None:
    assert len(tool_rules(home("http://lamps:8765/mcp", "http://lamps:8765/other"))) == 1
