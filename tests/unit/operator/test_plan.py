"""What is applied, deleted or left alone, given what is desired and what is there."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_operator.reconcile.drift import APPLIED_HASH, applied_hash, drift, with_hash
from butler_operator.reconcile.plan import ChildId, plan
from butler_resources.kinds import Butler
from butler_resources.kinds.objects import parse_object
from butler_resources.render.cluster import Place, render_butler

OWNER = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "name": "finance", "uid": "u1"}
ALL = frozenset(
    {"Deployment", "Service", "ConfigMap", "ServiceAccount", "NetworkPolicy", "PodDisruptionBudget"}
)
Body = dict[str, Any]


def reference(uid: str = "u1", name: str = "finance") -> Body:
    return {**OWNER, "uid": uid, "name": name, "controller": True, "blockOwnerDeletion": True}


def child(kind: str = "Service", name: str = "butler-finance", spec: Any = None, uid: str = "u1") -> Body:
    metadata = {"name": name, "namespace": "home", "ownerReferences": [reference(uid)]}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec or {"port": 1}}


def live(manifest: Body) -> Body:
    """A manifest as the API server has it: with its own fields and defaults."""
    body = copy.deepcopy(with_hash(manifest))
    body["metadata"] |= {"uid": "x", "resourceVersion": "7", "managedFields": []}
    body["status"] = {"seen": True}
    if isinstance(body.get("spec"), dict):
        body["spec"]["defaulted"] = "by the server"
    return body


def planned(desired: list[Body], found: list[Body], tolerated: Any = None) -> Any:
    return plan(desired, found, owner=OWNER, prunable=ALL, tolerated=tolerated or {})


@pytest.mark.parametrize(
    ("desired", "found", "paths"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, set()),
        ({"a": 1}, {"a": 2}, {".a"}),
        ({"a": {"b": 1}}, {}, {".a"}),
        ({"a": {}}, {}, set()),
        ({"a": []}, {}, set()),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, {".a"}),
        ({"a": [{"name": "x", "v": 1}]}, {"a": [{"name": "w"}, {"name": "x", "v": 1, "d": 0}]}, set()),
        ({"a": [{"name": "x", "v": 1}]}, {"a": [{"name": "x", "v": 2}]}, {".a[0].v"}),
        ({"a": [{"name": "x"}]}, {"a": []}, {".a[0]"}),
        ({"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]},
         {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]}, set()),
        ({"a": {"b": 1}}, {"a": "text"}, {".a"}),
    ],
)  # fmt: skip
def test_drift_is_what_we_said_and_is_not_so(desired: Body, found: Body, paths: set[str]) -> None:
    assert drift(desired, found) == paths


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=4), documents, max_size=4))
def test_nothing_differs_from_itself(document: Body) -> None:
    assert drift(document, copy.deepcopy(document)) == frozenset()
    assert applied_hash(document) == applied_hash(dict(reversed(list(document.items()))))


def test_what_is_missing_is_applied_with_its_hash_and_then_left_alone() -> None:
    desired = [child(), child("Deployment")]
    todo = planned(desired, [])
    assert [entry["kind"] for entry in todo.apply] == ["Service", "Deployment"]
    assert todo.apply[0]["metadata"]["annotations"][APPLIED_HASH] == applied_hash(desired[0])
    assert planned(desired, [live(entry) for entry in desired]).idle


def test_the_plan_of_a_whole_butler_over_its_own_result_is_empty() -> None:
    body = {
        "apiVersion": "butlers.dev/v1alpha1",
        "kind": "Butler",
        "metadata": {"name": "finance"},
        "spec": {"role": "specialist", "profile": "finance", "replicas": 2},
    }
    place = Place(namespace="home", image="i", operator_namespace="ops")
    desired = list(render_butler(parse_object(Butler, body), place, owner=OWNER, inputs={"a/b": "1"}))
    assert len(planned(desired, []).apply) == len(desired) == 6
    assert planned(desired, [live(entry) for entry in desired]).idle


def test_a_change_of_either_side_is_applied() -> None:
    desired, found = child(), live(child())
    assert planned([child(spec={"port": 2})], [found]).apply
    meddled = {**found, "spec": {**found["spec"], "port": 9}}
    assert planned([desired], [meddled]).apply
    grown = live(child(spec={"port": 1, "extra": 1}))
    assert planned([desired], [grown]).apply, "a field that is no longer desired shows in the hash only"


def test_a_difference_that_an_apply_does_not_change_is_not_fought() -> None:
    desired = child(spec={"cpu": "1000m"})
    found = {**live(desired), "spec": {"cpu": "1"}}
    assert planned([desired], [found]).apply
    assert planned([desired], [found], {ChildId("Service", "butler-finance"): frozenset({".spec.cpu"})}).idle


def test_one_object_of_somebody_else_keeps_everything_from_being_written_and_all_are_named() -> None:
    theirs = live(child())
    theirs["metadata"]["ownerReferences"] = [reference(uid="u9", name="other")]
    bare = child("ConfigMap", spec={"data": 1})
    bare["metadata"]["ownerReferences"] = []
    meddled = {**live(child("ServiceAccount")), "spec": {}}
    leftover = live(child("PodDisruptionBudget"))
    desired = [child("ServiceAccount"), child(), child("ConfigMap"), child("Deployment")]
    todo = planned(desired, [theirs, bare, meddled, leftover])
    assert todo.foreign == (ChildId("Service", "butler-finance"), ChildId("ConfigMap", "butler-finance"))
    assert todo.idle
    assert planned([], [theirs, bare]).idle


def test_a_child_that_is_being_deleted_is_waited_for() -> None:
    ending = live(child())
    ending["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z"
    todo = planned([child(), child("Deployment")], [ending])
    assert todo.passing == (ChildId("Service", "butler-finance"),)
    assert [entry["kind"] for entry in todo.apply] == ["Deployment"]
    assert planned([], [ending]).idle


def test_nothing_is_made_beside_the_children_of_an_earlier_life() -> None:
    todo = planned([child(), child("Deployment")], [live(child(uid="u0"))])
    assert todo.passing == (ChildId("Service", "butler-finance"),)
    assert todo.idle


def test_owned_and_no_longer_desired_is_deleted_but_no_other_kind() -> None:
    todo = planned([], [live(child()), live(child("Pod", "p"))])
    assert [entry["kind"] for entry in todo.delete] == ["Service"]


def test_a_households_object_is_ours_by_its_hash_and_not_by_a_label() -> None:
    manifest = {"kind": "NetworkPolicy", "metadata": {"name": "deny", "labels": {}}, "spec": {}}
    bare = {"kind": "NetworkPolicy", "metadata": {"name": "deny"}, "spec": {}}
    labelled = live(manifest)
    del labelled["metadata"]["annotations"][APPLIED_HASH]
    labelled["metadata"]["labels"] = {"app.kubernetes.io/managed-by": "butlers-operator"}

    def todo(desired: list[Body], found: Body) -> Any:
        return plan(desired, [found], owner=None, prunable=ALL, tolerated={})

    assert todo([manifest], bare).foreign
    assert todo([manifest], labelled).foreign
    assert todo([], labelled).idle
    assert todo([manifest], live(manifest)).idle
    assert todo([], live(manifest)).delete
