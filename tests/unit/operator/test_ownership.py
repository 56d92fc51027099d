"""Whose an object is: who controls it, and the marks that only the operator puts on it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_operator.reconcile.drift import APPLIED_HASH, with_hash
from butler_operator.reconcile.ownership import Whose, adoption, whose
from butler_operator.reconcile.plan import child_id, plan
from butler_resources.kinds import parse_manifests
from butler_resources.render.cluster import Place, render_connector

MAIL = """
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata: {name: mail}
spec:
  type: imap
  endpointIdentity: imap:household@example.org
  imap: {host: imap.example.org, username: household, passwordSecretRef: {name: mail, key: password}}
"""
PLACE = Place(namespace="household", image="butlers:1", operator_namespace="butlers-system")
KINDS = frozenset({"Deployment", "PersistentVolumeClaim", "ServiceAccount", "NetworkPolicy"})
Body = dict[str, Any]


def owner(uid: str = "u-2") -> Body:
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": "Connector", "name": "mail", "uid": uid}


def rendered(uid: str) -> list[Body]:
    (connector,) = parse_manifests({"mail": MAIL}).connectors
    return [copy.deepcopy(child) for child in render_connector(connector, PLACE, owner=owner(uid), inputs={})]


def orphaned(manifest: Body, *, references: list[Body] | None = None) -> Body:
    """A child as the garbage collector leaves it after `--cascade=orphan`."""
    body = with_hash(manifest)
    body["metadata"] |= {"uid": "x", "resourceVersion": "7", "ownerReferences": references or []}
    return body


def planned(desired: list[Body], found: list[Body]) -> Any:
    return plan(desired, found, owner=owner(), prunable=KINDS, tolerated={})


def unlabelled(body: Body, label: str, value: str | None = None) -> Body:
    labels = dict(body["metadata"]["labels"])
    labels.pop(label)
    if value is not None:
        labels[label] = value
    body["metadata"]["labels"] = labels
    return body


def test_orphans_of_an_earlier_life_are_adopted_with_their_volume() -> None:
    found = [orphaned(child) for child in rendered("u-1")]
    todo = planned(rendered("u-2"), found)
    assert [child_id(body) for body, _ in todo.adopt] == [child_id(body) for body in found]
    assert "PersistentVolumeClaim" in {body["kind"] for body, _ in todo.adopt}
    assert "PersistentVolumeClaim" not in {body["kind"] for body in todo.apply}
    assert (todo.foreign, todo.passing, todo.delete) == ((), (), ())


def test_an_adoption_holds_for_what_was_looked_at_only_and_keeps_other_owners() -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap", "name": "theirs", "uid": "u-9"}
    (child, *_) = rendered("u-2")
    body = orphaned(child, references=[other, {**owner(), "controller": False}])
    metadata = adoption(body, child)["metadata"]
    assert (metadata["uid"], metadata["resourceVersion"]) == ("x", "7")
    assert metadata["ownerReferences"] == [other, *child["metadata"]["ownerReferences"]]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body["metadata"]["annotations"].pop(APPLIED_HASH),
        lambda body: unlabelled(body, "app.kubernetes.io/managed-by"),
        lambda body: unlabelled(body, "app.kubernetes.io/managed-by", "Helm"),
        lambda body: unlabelled(body, "butlers.dev/kind", "Butler"),
        lambda body: unlabelled(body, "butlers.dev/name", "other"),
        lambda body: body["metadata"].update(
            ownerReferences=[{"kind": "StatefulSet", "name": "mail", "uid": "u-5", "controller": True}]
        ),
    ],
    ids=["no hash", "no label", "somebody's label", "another kind", "another name", "another controller"],
)
def test_what_lacks_a_mark_or_is_controlled_by_another_is_never_adopted(spoil: Any) -> None:
    desired = rendered("u-2")
    found = [orphaned(child) for child in rendered("u-1")]
    spoil(found[0])
    todo = planned(desired, found)
    assert todo.foreign == (child_id(found[0]),)
    assert todo.idle, "and no other is adopted beside it"


def test_an_orphan_that_is_no_longer_desired_goes_but_no_volume_ever() -> None:
    found = [orphaned(child) for child in rendered("u-1")]
    gone = planned([], found).delete
    assert {body["kind"] for body in gone} == {body["kind"] for body in found} - {"PersistentVolumeClaim"}
    kept = [with_hash(child) for child in rendered("u-2") if child["kind"] == "PersistentVolumeClaim"]
    assert planned([], kept).idle, "it goes with its connector"


references = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["Connector", "Butler", "ReplicaSet"]),
            "name": st.sampled_from(["mail", "other"]),
            "uid": st.sampled_from(["u-1", "u-2", "u-3"]),
            "controller": st.booleans(),
        }
    ),
    max_size=2,
)
labels = st.dictionaries(
    st.sampled_from(["app.kubernetes.io/managed-by", "butlers.dev/kind", "butlers.dev/name"]),
    st.sampled_from(["butlers-operator", "Connector", "mail", "other"]),
)


@given(references, labels, st.booleans(), st.booleans())
def test_nothing_is_written_that_is_neither_controlled_nor_hashed_and_uncontrolled(
    held: list[Body], said: dict[str, str], hashed: bool, mine: bool
) -> None:
    """Whatever labels people write on an object of their own."""
    manifest = rendered("u-2")[0]
    metadata = {"name": manifest["metadata"]["name"], "labels": said, "ownerReferences": held}
    metadata |= {"annotations": {APPLIED_HASH: "old"} if hashed else {}, "uid": "x", "resourceVersion": "7"}
    body = {"kind": manifest["kind"], "metadata": metadata}
    controller = next((entry for entry in held if entry["controller"]), None)
    controlled = controller is not None and controller["uid"] == "u-2"
    for desired in ([manifest], []):
        todo = plan(desired, [body], owner=owner() if mine else None, prunable=KINDS, tolerated={})
        if not todo.idle:
            assert (mine and controlled) or (controller is None and hashed)
        for gone in todo.delete:
            assert hashed
            assert whose(gone, owner() if mine else None) in (Whose.OURS, Whose.ORPHAN)
