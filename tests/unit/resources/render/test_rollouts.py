"""What replaces running pods and what does not: both are decided by the pod template alone."""

from typing import Any

import pytest

from butler_resources.kinds import Butler
from butler_resources.render.cluster import references
from tests.unit.resources.render.households import PLACE, changed, demo, one, template

EVERY = [pytest.param(resource, id=f"{resource.kind} {resource.name}") for resource in demo()]


@pytest.mark.parametrize("resource", EVERY)
def test_a_changed_secret_replaces_the_pods(resource: Any) -> None:
    for ref in references(resource, PLACE):
        before = {other.name: "1" for other in references(resource, PLACE)}
        without = {name: value for name, value in before.items() if name != ref.name}
        pods = [template(resource, PLACE, told) for told in (before, before | {ref.name: "2"}, without)]
        assert pods[1] != pods[0] != pods[2]


@pytest.mark.parametrize("resource", EVERY)
def test_the_order_in_which_inputs_are_told_replaces_nothing(resource: Any) -> None:
    told = {"a": "1", "b": "2"}
    assert template(resource, PLACE, told) == template(resource, PLACE, {"b": "2", "a": "1"})
    assert template(resource, PLACE, told) != template(resource, PLACE, {"a": "2", "b": "1"})


@pytest.mark.parametrize(
    "spec",
    [
        {"timezone": "Europe/Paris"},
        {"triggers": ["receipts"]},
        {"runtime": {"family": "rules", "timeoutSeconds": 60}},
        {"port": 40999},
        {"buffer": {"workCapacity": 50}},
        {"trustedCallers": []},
        {"requiredInformation": ["the amount"]},
        {"description": "Money"},
    ],
)
def test_a_changed_configuration_replaces_the_pods(spec: Any) -> None:
    before, after = template(one("finance")), template(changed(one("finance"), **spec))
    key = "butlers.dev/config-hash"
    assert before["metadata"]["annotations"][key] != after["metadata"]["annotations"][key]


@pytest.mark.parametrize("name", ["finance", "mail"])
def test_a_changed_log_level_replaces_the_pods(name: str) -> None:
    assert template(changed(one(name), telemetry={"logLevel": "debug"})) != template(one(name))


@pytest.mark.parametrize(
    "spec",
    [
        {"replicas": 3},
        {"suspend": True},
        {"eligibility": {"quarantine": {"reason": "a look at its answers"}}},
        {"arbitrationPriority": 10},
    ],
)
def test_what_a_running_pod_need_not_know_replaces_nothing(spec: Any) -> None:
    assert template(changed(one("finance"), **spec)) == template(one("finance"))


def test_every_secret_of_a_butler_is_told_once_the_database_s_too() -> None:
    assert [(ref.name, ref.key) for ref in references(one("messenger"), PLACE)] == [
        ("butlers-postgresql", "uri"),
        ("contacts", "contacts.yaml"),
        ("telegram-bot", "token"),
        ("mail-account", "password"),
    ]
    doubled = changed(
        one("mail"), env=[{"name": "AGAIN", "secretRef": {"name": "mail-account", "key": "password"}}]
    )
    assert [ref.name for ref in references(doubled, PLACE)] == ["mail-account"]


def test_without_a_place_only_what_the_manifest_names_is_told() -> None:
    told = {found.name: [ref.name for ref in references(found)] for found in demo()}
    assert told["finance"] == []
    assert told["webhook"] == ["webhook"]
    own = changed(one("finance"), database={"secretRef": {"name": "finance-app", "key": "uri"}})
    assert isinstance(own, Butler)
    assert (
        [ref.name for ref in references(own)]
        == [ref.name for ref in references(own, PLACE)]
        == ["finance-app"]
    )
