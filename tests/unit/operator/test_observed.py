"""What was observed: the later version counts, whichever way it came."""

from __future__ import annotations

import json
from typing import Any

from butler_operator.control.observed import Observed
from butler_operator.reconcile.key import Key, parent_of

Body = dict[str, Any]
FINANCE = Key("Butler", "home", "finance")


def service(version: int, uid: str = "u", name: str = "butler-finance", **metadata: Any) -> Body:
    labels = {"butlers.dev/kind": "Butler", "butlers.dev/name": "finance"}
    body = {"name": name, "namespace": "home", "uid": uid, "resourceVersion": str(version), "labels": labels}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {**body, **metadata}, "spec": {"v": version}}


def test_an_older_version_never_replaces_a_later_one() -> None:
    observed = Observed()
    assert observed.put(service(7))
    assert not observed.put(service(6))
    assert observed.children(FINANCE)[0]["spec"]["v"] == 7


def test_a_late_answer_does_not_bring_back_what_was_deleted() -> None:
    observed = Observed()
    observed.put(service(7))
    observed.drop(service(9))
    assert not observed.put(service(8))
    assert observed.children(FINANCE) == []
    assert observed.put(service(10, uid="v"))


def test_the_end_of_an_earlier_object_leaves_its_successor_alone() -> None:
    observed = Observed()
    observed.put(service(9, uid="new"))
    observed.drop(service(8, uid="old"))
    assert len(observed.children(FINANCE)) == 1


def test_a_listing_tells_what_the_watch_missed_and_nothing_that_came_since() -> None:
    observed = Observed()
    for name in ("kept", "changed", "gone"):
        observed.put(service(5, name=name, uid=name))
    before = observed.uids("Service", "home")
    listed = [service(5, name="kept"), service(8, name="changed"), service(7, name="new")]
    observed.put(service(9, name="came-since", uid="came-since"))
    later, gone = observed.missed("Service", "home", listed, before)
    assert [body["metadata"]["name"] for body in later] == ["changed", "new"]
    assert [body["metadata"]["name"] for body in gone] == ["gone"]


def test_a_child_is_known_by_its_label_else_by_its_controller_else_it_is_the_households() -> None:
    assert parent_of(service(1)) == FINANCE
    owner = {"kind": "Butler", "name": "finance", "controller": True}
    assert parent_of(service(1, labels={}, ownerReferences=[owner])) == FINANCE
    replica_set = {**owner, "kind": "ReplicaSet"}
    assert parent_of(service(1, labels={}, ownerReferences=[replica_set])) == Key.household("home")


def test_a_resource_is_nobodys_child_whatever_it_is_labelled() -> None:
    observed = Observed()
    observed.put({**service(1), "kind": "Butler", "apiVersion": "butlers.dev/v1alpha1"})
    assert observed.children(FINANCE) == []
    assert observed.resource(Key("Butler", "home", "butler-finance"))


def test_a_kind_is_found_by_itself_in_one_namespace_and_in_all() -> None:
    observed = Observed()
    for namespace, name in (("work", "a"), ("home", "b"), ("home", "a")):
        observed.put(service(1, name=name, namespace=namespace))
    observed.put({**service(1, name="c"), "kind": "Deployment"})
    assert [body["metadata"]["name"] for body in observed.of_kind("Service", "home")] == ["a", "b"]
    everywhere = [
        (body["metadata"]["namespace"], body["metadata"]["name"]) for body in observed.of_kind("Service")
    ]
    assert everywhere == [("home", "a"), ("home", "b"), ("work", "a")]
    observed.drop(service(2, name="a", namespace="work"))
    assert observed.namespaces() == ["home"]


def test_what_objects_have_in_common_is_kept_once() -> None:
    observed = Observed()
    for name in ("a", "b"):
        parsed: Body = json.loads(json.dumps(service(1, name=name, managedFields=[{"manager": "somebody"}])))
        parsed["spec"]["image"] = json.loads('"registry.example.org/butlers:dev"')
        observed.put(parsed)
    first, second = observed.of_kind("Service", "home")
    assert first["spec"]["image"] is second["spec"]["image"]
    assert "managedFields" not in first["metadata"]
