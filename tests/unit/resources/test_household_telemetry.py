"""One collector for a whole household: every butler and connector takes it that names none of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from butler_resources.kinds import Butler, Connector, Household, parse_object
from butler_resources.render.cluster import Place, render_butler, render_connector

COLLECTOR = "http://collector.observability:4318"
OWN = "http://own.observability:4319"
SWITCHBOARD = {"role": "switchboard", "household": {"telemetry": {"otlpEndpoint": COLLECTOR}}}
PLACE = Place(namespace="household", image="butlers:dev", operator_namespace="system")
BUTLER = ("Butler", "finance", {"role": "specialist", "profile": "finance"})
CONNECTOR = (
    "Connector",
    "mail",
    {
        "type": "imap",
        "endpointIdentity": "imap:mail@example.org",
        "imap": {
            "host": "mail.example.org",
            "username": "mail@example.org",
            "passwordSecretRef": {"name": "mail", "key": "password"},
        },
    },
)


def body_of(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "household"}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


def household() -> Household:
    found = parse_object(Butler, body_of("Butler", "switchboard", SWITCHBOARD)).spec.household
    assert found is not None
    return found


def rendered(kind: str, name: str, spec: dict[str, Any], place: Place) -> tuple[str | None, set[int]]:
    """Where its process sends spans, and the ports that its pods may reach."""
    body, owner = body_of(kind, name, spec), {"apiVersion": "x", "kind": kind, "name": name, "uid": "u-1"}
    if kind == "Butler":
        objects = render_butler(parse_object(Butler, body), place, owner=owner, inputs={})
    else:
        objects = render_connector(parse_object(Connector, body), place, owner=owner, inputs={})
    kinds = {one["kind"]: one for one in objects}
    [process] = kinds["Deployment"]["spec"]["template"]["spec"]["containers"]
    env = {entry["name"]: entry.get("value") for entry in process["env"]}
    rules = kinds["NetworkPolicy"]["spec"]["egress"]
    ports = {
        port["port"] for rule in rules for port in rule.get("ports", ()) if isinstance(port["port"], int)
    }
    return env.get("OTEL_EXPORTER_OTLP_ENDPOINT"), ports


@pytest.mark.parametrize(("kind", "name", "spec"), [BUTLER, CONNECTOR])
def test_who_names_no_collector_takes_the_households(kind: str, name: str, spec: dict[str, Any]) -> None:
    assert rendered(kind, name, spec, PLACE)[0] is None
    collector, ports = rendered(kind, name, spec, replace(PLACE, household=household()))
    assert collector == COLLECTOR
    assert 4318 in ports, "and its pods may reach it"


@pytest.mark.parametrize(("kind", "name", "spec"), [BUTLER, CONNECTOR])
def test_who_names_one_keeps_it(kind: str, name: str, spec: dict[str, Any]) -> None:
    own = spec | {"telemetry": {"otlpEndpoint": OWN}}
    collector, ports = rendered(kind, name, own, replace(PLACE, household=household()))
    assert collector == OWN
    assert 4319 in ports
    assert 4318 not in ports
