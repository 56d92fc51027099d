"""What judges `make operator-torture`: which requests count, which children are wrong, which deletions were in vain."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bench.operator.audit import Call
from bench.torture.answered import wrong_job, wrong_operation
from bench.torture.drawn import KINDS, body_of, drawn, first_spec, is_valid, name_of
from bench.torture.oracle import differences, replaced, unneeded
from bench.torture.orders import operations
from bench.torture.requests import (
    Listing,
    changes_something,
    counts_as_write,
    is_watch,
    listing_of,
    one_page,
)
from bench.torture.scenarios import SCENARIOS
from bench.torture.schema import changed, changes, endless, immutable, spec_schema
from bench.torture.stale import CHANGES, HOLDS, names_from, spec_of
from butler_operator.reconcile.drift import with_hash
from butler_operator.reconcile.plan import ChildId
from butler_resources.kinds import Action, Butler, ButlerOperation, Connector
from butler_resources.kinds.objects import parse_object

HOME = "/api/v1/namespaces/home"


@pytest.mark.parametrize(
    ("method", "path", "counts"),
    [
        ("PATCH", f"{HOME}/services/butler-b001", True),
        ("DELETE", "/apis/apps/v1/namespaces/home/deployments/butler-b001", True),
        ("POST", "/apis/events.k8s.io/v1/namespaces/home/events", True),
        ("GET", f"{HOME}/services/butler-b001", False),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", False),
        ("PATCH", "/apis/coordination.k8s.io/v1/namespaces/system/leases/operator", False),
    ],
)
def test_a_write_counts_unless_it_only_asks_or_renews_the_lease(method: str, path: str, counts: bool) -> None:
    assert counts_as_write(method, path) is counts


def test_a_watch_is_told_from_a_listing() -> None:
    assert is_watch({"watch": "true"})
    assert not is_watch({"limit": "500"})


def test_a_list_is_known_by_what_it_asks_for_whichever_page() -> None:
    first = listing_of("GET", f"{HOME}/pods", {"limit": "100", "labelSelector": "a=b"}, "application/json")
    second = listing_of(
        "GET", f"{HOME}/pods", {"limit": "100", "labelSelector": "a=b", "continue": "x"}, "application/json"
    )
    assert first == second == Listing("pods", f"{HOME}/pods", (("labelSelector", "a=b"),), "application/json")
    assert listing_of("GET", f"{HOME}/pods", {}, "application/json") != first


@pytest.mark.parametrize(
    ("method", "path", "query"),
    [
        ("GET", f"{HOME}/pods/butler-b001", {}),
        ("GET", f"{HOME}/pods", {"watch": "true"}),
        ("POST", f"{HOME}/pods", {}),
        ("GET", "/api/v1/namespaces", {}),
    ],
)
def test_what_lists_nothing_of_a_namespace_is_no_list(method: str, path: str, query: dict[str, str]) -> None:
    assert listing_of(method, path, query, "application/json") is None


def test_the_pages_of_an_old_list_are_given_as_one() -> None:
    first = {"kind": "PodList", "metadata": {"resourceVersion": "7", "continue": "x"}, "items": [{"a": 1}]}
    second = {"kind": "PodList", "metadata": {"resourceVersion": "7"}, "items": [{"a": 2}]}
    assert one_page([first, second]) == second | {"items": [{"a": 1}, {"a": 2}]}


@pytest.mark.parametrize("kind", ["Butler", "Connector"])
def test_what_is_changed_behind_the_operator_s_back_is_valid_before_and_after(kind: str) -> None:
    other = {"profile": "travel"} if kind == "Butler" else {"maxInflight": 3}
    assert is_valid(kind, "b800", spec_of(kind, "b800"))
    assert is_valid(kind, "b800", spec_of(kind, "b800", **other))


def test_every_change_has_a_resource_of_its_own_in_every_hold() -> None:
    names = [name for number in range(len(HOLDS)) for name in names_from(800 + 20 * number)]
    assert len(set(names)) == len(HOLDS) * len(CHANGES)
    assert "c890" not in names


def manifest(name: str, port: int = 80) -> dict[str, Any]:
    owner = {"kind": "Butler", "name": "b001", "uid": "u1", "controller": True}
    metadata = {"name": name, "namespace": "home", "ownerReferences": [owner]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"port": port}}


def test_children_are_right_only_with_the_hash_of_what_was_desired_and_nothing_more() -> None:
    live = with_hash(manifest("one"))
    assert differences([manifest("one")], [live], uid="u1") == []
    assert differences([manifest("one", 81)], [live], uid="u1") == ["Service one is another"]
    assert differences([manifest("two")], [live], uid="u1") == [
        "Service two is missing",
        "Service one is left over",
    ]
    assert differences([manifest("one")], [live], uid="u2") == ["Service one is missing"]


def test_a_child_of_the_same_name_and_another_uid_came_anew() -> None:
    one, two = ChildId("Service", "one"), ChildId("Service", "two")
    assert replaced({one: "u1", two: "u2"}, {one: "u1"}) == []
    assert replaced({one: "u1"}, {one: "u3", two: "u2"}) == ["Service one is a new one"]


def test_a_deletion_is_in_vain_unless_a_change_asked_for_it_or_it_was_refused() -> None:
    def call(verb: str, resource: str, status: int = 200) -> Call:
        return Call(datetime(2026, 1, 1, tzinfo=UTC), verb, resource, "butler-b001", status)

    calls = [call("delete", "services"), call("delete", "services", 409), call("delete", "pods")]
    assert len(unneeded([*calls, call("patch", "services")])) == 1
    assert unneeded(calls, [ChildId("Service", "butler-b001")]) == []


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: str(scenario.name))
def test_each_scenario_says_what_the_operator_takes(scenario: Any) -> None:
    models: dict[str, type[Butler] | type[Connector]] = {"Butler": Butler, "Connector": Connector}
    for spec in filter(None, (scenario.before, scenario.after)):
        metadata = {"name": "b001", "namespace": "home"}
        body = {
            "apiVersion": "butlers.dev/v1alpha1",
            "kind": scenario.kind,
            "metadata": metadata,
            "spec": spec("b001"),
        }
        parse_object(models[scenario.kind], body)


def test_the_changes_of_a_seed_are_always_the_same_and_as_the_schema_says() -> None:
    drawn = changes("backfilljobs", number=3, count=20)
    assert drawn == changes("backfilljobs", number=3, count=20)
    assert drawn != changes("backfilljobs", number=4, count=20)
    fields = spec_schema("backfilljobs")["properties"]
    for name, value in drawn:
        assert value is None or not list(Draft202012Validator(fields[name]).iter_errors(value)), name


def test_what_an_operator_writes_is_told_from_what_it_asks() -> None:
    now = datetime.now(UTC)
    assert changes_something(Call(now, "patch", "services", "butler-b001", 200))
    assert not changes_something(Call(now, "patch", "leases", "operator", 200))
    assert not changes_something(Call(now, "create", "selfsubjectaccessreviews", "", 201))
    assert not changes_something(Call(now, "list", "services", "", 200))


def test_no_change_is_drawn_of_a_field_that_never_changes() -> None:
    assert immutable("connectors") == {"type", "endpointIdentity"}
    assert immutable("backfilljobs") == {"connectorRef", "dateFrom", "dateTo", "targetCategories"}
    some = list(itertools.islice(endless("backfilljobs", number=2), 60))
    assert {name for name, _ in some} == {"rateLimitPerHour", "dailyCostCapCents", "suspend"}
    assert some == list(itertools.islice(endless("backfilljobs", number=2), 60))


@pytest.mark.parametrize("plural", ["butlers", "connectors"])
def test_drawn_resources_have_few_pods_and_no_image_of_their_own(plural: str) -> None:
    found = list(itertools.islice(endless(plural, number=1), 150))
    assert all(value is None or value <= 3 for name, value in found if name == "replicas")
    assert not [value for name, value in found if name == "pod" and value and "image" in value]


@pytest.mark.parametrize("kind", KINDS)
def test_changes_that_the_models_take_are_drawn_in_time(kind: str) -> None:
    """A walk as the torture makes it, with the models in the place of the API server."""
    specs = {name_of(kind, number): first_spec(kind, name_of(kind, number), number) for number in range(3)}
    assert all(is_valid(kind, name, spec) for name, spec in specs.items())
    taken, fields = 0, set()
    for name, change in itertools.islice(drawn(kind, specs, number=5), 100):
        spec = changed(specs[name], change)
        if spec != specs[name] and is_valid(kind, name, spec):
            specs[name] = spec
            taken += 1
            fields.add(change[0])
    assert taken >= 100 / 20
    assert len(fields) >= 3


def test_drawn_operations_are_valid_and_the_same_for_a_seed() -> None:
    found = operations(number=4, count=80)
    for number, spec in enumerate(found):
        parse_object(ButlerOperation, body_of("ButlerOperation", f"o{number}", spec))
    assert found == operations(number=4, count=80)
    assert len(found) == 80
    assert {spec["action"] for spec in found} == set(Action)


def job(**status: Any) -> dict[str, Any]:
    spec = {"rateLimitPerHour": 100, "dailyCostCapCents": 500, "suspend": False}
    told = {"observedGeneration": 2, "jobId": "job-1", "state": "pending"} | status
    return {"metadata": {"generation": 2}, "spec": spec, "status": told}


ROW = {"job_id": "job-1", "status": "pending", "rate_limit_per_hour": 100, "daily_cost_cap_cents": 500}


@pytest.mark.parametrize(
    ("body", "row", "wrong"),
    [
        (job(), ROW, []),
        (job(), None, ["Switchboard has no such job"]),
        (job(), ROW | {"rate_limit_per_hour": 7}, ["rate_limit_per_hour is 7, not 100"]),
        (job(state="paused"), ROW, ["the status says paused, Switchboard pending"]),
        (job(observedGeneration=1), ROW, ["the status is of an earlier generation"]),
        (job(jobId="job-2"), ROW, ["the status names job job-2, not job-1"]),
    ],
)
def test_a_job_is_right_when_row_status_and_manifest_agree(
    body: dict[str, Any], row: dict[str, Any] | None, wrong: list[str]
) -> None:
    assert wrong_job(body, row) == wrong


@pytest.mark.parametrize(
    ("phase", "condition", "asked", "wrong"),
    [
        ("Succeeded", "Complete", 1, []),
        ("Failed", "Failed", 0, []),
        ("Succeeded", "Complete", 2, ["Succeeded, and asked for 2 times"]),
        ("Failed", "Failed", 1, ["Failed, and asked for 1 times"]),
        ("Succeeded", "Failed", 1, ["Succeeded, and condition Complete is not True"]),
        ("Running", "Complete", 0, ["the phase is Running"]),
    ],
)
def test_an_operation_is_right_when_it_ended_and_was_asked_for_once(
    phase: str, condition: str, asked: int, wrong: list[str]
) -> None:
    conditions = [{"type": condition, "status": "True"}]
    status = {"observedGeneration": 1, "phase": phase, "conditions": conditions}
    assert wrong_operation({"metadata": {"generation": 1}, "status": status}, asked) == wrong
