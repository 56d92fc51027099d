"""What was observed: the later version counts, whichever way it came."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_operator.control import observed as observed_module
from butler_operator.control.observed import WORKLOAD, Observed
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
        observed.put({**parsed, "kind": "Deployment"})
    first, second = observed.of_kind("Deployment", "home")
    assert first["spec"]["image"] is second["spec"]["image"]
    assert "managedFields" not in first["metadata"]


def test_what_is_seldom_read_is_smaller_than_its_text_and_comes_back_as_it_was() -> None:
    rules = [{"ports": [{"port": 40100, "protocol": "TCP"}], "from": [{"namespaceSelector": {}}]}] * 8
    policy = {
        **service(1, managedFields=[{"manager": "us"}]),
        "kind": "NetworkPolicy",
        "spec": {"egress": rules},
    }
    observed = Observed()
    observed.put(policy)
    (kept,) = observed.children(FINANCE)
    assert kept == {**policy, "metadata": service(1)["metadata"]}
    assert len(observed_module._packed(kept)) < len(json.dumps(policy)) / 2


def test_nothing_is_unpacked_for_versions_uids_parents_and_other_kinds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A resync asks so of every object."""
    observed = Observed()
    deployment = {**service(1), "kind": "Deployment"}
    for body in (service(5), service(5, name="other", uid="v"), deployment):
        observed.put(body)
    monkeypatch.setattr(observed_module, "_unpacked", unreadable)
    assert not observed.put(service(4))
    assert observed.put(service(6))
    assert observed.uids("Service", "home") == {"butler-finance": "u", "other": "v"}
    listed = [service(6), service(5, name="other")]
    assert observed.missed("Service", "home", listed, observed.uids("Service", "home")) == ([], [])
    assert observed.children(FINANCE, WORKLOAD) == [deployment]
    observed.drop(service(7))
    assert observed.namespaces() == ["home"]
    with pytest.raises(AssertionError, match="unpacked"):
        observed.children(FINANCE)


def unreadable(held: bytes) -> Body:
    raise AssertionError("unpacked")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KINDS = ("Service", "Deployment", "Pod", "PersistentVolumeClaim", "Butler")
OBJECTS = st.builds(
    lambda kind, name, space, version, uid, owner, spec: {
        "kind": kind,
        "apiVersion": "v1",
        "metadata": {
            "name": name,
            "namespace": space,
            "uid": uid,
            "resourceVersion": str(version),
            "labels": {"butlers.dev/kind": "Butler", "butlers.dev/name": owner},
        },
        "spec": spec,
    },
    kind=st.sampled_from(KINDS),
    name=st.sampled_from(("a", "b")),
    space=st.sampled_from(("home", "cabin")),
    version=st.integers(1, 9),
    uid=st.sampled_from(("u", "v")),
    owner=st.sampled_from(("finance", "travel")),
    spec=VALUES,
)
OWNERS = [Key("Butler", space, owner) for space in ("home", "cabin") for owner in ("finance", "travel")]


def ident_of(body: Body) -> tuple[str, str, str]:
    return body["kind"], body["metadata"]["namespace"], body["metadata"]["name"]


def version_of(body: Body) -> int:
    return int(body["metadata"]["resourceVersion"])


class Plain:
    """The same, as simple as it can be: whole bodies, and every question asked of all of them."""

    def __init__(self) -> None:
        self.there: dict[tuple[str, str, str], Body] = {}
        self.gone: dict[tuple[str, str, str], int] = {}

    def put(self, body: Body) -> bool:
        known = self.there.get(ident_of(body))
        if known is not None and version_of(known) > version_of(body):
            return False
        if self.gone.get(ident_of(body), -1) >= version_of(body):
            return False
        self.gone.pop(ident_of(body), None)
        self.there[ident_of(body)] = body
        return True

    def drop(self, body: Body) -> None:
        known = self.there.get(ident_of(body))
        if known is not None and known["metadata"]["uid"] == body["metadata"]["uid"]:
            del self.there[ident_of(body)]
        self.gone[ident_of(body)] = version_of(body)

    def of_kind(self, kind: str, namespace: str) -> list[Body]:
        return [
            body for ident, body in sorted(self.there.items(), key=first) if ident[:2] == (kind, namespace)
        ]

    def children(self, key: Key) -> list[Body]:
        every = sorted(self.there.items(), key=first)
        return [body for _, body in every if body["kind"] != "Butler" and parent_of(body) == key]


def first(item: tuple[tuple[str, str, str], Body]) -> tuple[str, str, str]:
    return item[0]


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(st.tuples(st.sampled_from(("put", "put", "drop")), OBJECTS), max_size=25))
def test_packed_or_not_everything_is_answered_as_from_whole_bodies(steps: list[tuple[str, Body]]) -> None:
    observed, plain = Observed(), Plain()
    for step, body in steps:
        if step == "put":
            assert observed.put(body) is plain.put(body)
        else:
            observed.drop(body)
            plain.drop(body)
    for key in OWNERS:
        assert observed.children(key) == plain.children(key)
        only = [body for body in plain.children(key) if body["kind"] in WORKLOAD]
        assert observed.children(key, WORKLOAD) == only
    for kind, space in itertools.product(KINDS, ("home", "cabin")):
        assert list(observed.of_kind(kind, space)) == plain.of_kind(kind, space)
        uids = {body["metadata"]["name"]: body["metadata"]["uid"] for body in plain.of_kind(kind, space)}
        assert observed.uids(kind, space) == uids
        assert observed.missed(kind, space, [], uids) == ([], plain.of_kind(kind, space))
    assert observed.namespaces() == sorted({space for _, space, _ in plain.there})
