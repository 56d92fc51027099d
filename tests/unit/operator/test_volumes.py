"""A connector's volume: what is asked of the API server, and what is said of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from butler_operator.reconcile.volumes import grown, storage_condition
from butler_resources.kinds import Connector, ManifestError, parse_manifests
from butler_resources.render.cluster import Place, render_connector

OWNER = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Connector", "name": "mail", "uid": "u-1"}
PLACE = Place(
    namespace="household", image="butlers:1", operator_namespace="butlers-system", storage_class="slow"
)
TOLD = [
    {"type": "Unused", "message": "no pods use it"},
    {"type": "FileSystemResizePending", "message": "waiting for the node"},
]
Body = dict[str, Any]


def mail(**storage: str) -> Connector:
    imap = {"host": "h", "username": "u", "passwordSecretRef": {"name": "mail", "key": "password"}}
    spec = {"type": "imap", "endpointIdentity": "imap:a", "imap": imap, "storage": storage}
    head = {"apiVersion": OWNER["apiVersion"], "kind": "Connector", "metadata": {"name": "mail"}}
    (found,) = parse_manifests({"mail": json.dumps(head | {"spec": spec})}).connectors
    return found


def claim(**storage: str) -> Body:
    made = render_connector(mail(**storage), PLACE, owner=OWNER, inputs={})
    (found,) = (manifest for manifest in made if manifest["kind"] == "PersistentVolumeClaim")
    return found


def test_the_manifest_s_size_and_class_win_over_the_place_s() -> None:
    assert claim()["spec"]["storageClassName"] == "slow"
    asked = claim(size="1024Mi", className="fast")["spec"]
    assert (asked["resources"]["requests"]["storage"], asked["storageClassName"]) == ("1Gi", "fast")


@pytest.mark.parametrize(
    ("had", "wanted", "grows"),
    [("64Mi", "1Gi", True), ("1Gi", "64Mi", False), ("1Gi", "1024Mi", False), ("1000Mi", "1Gi", True)],
)
def test_only_a_larger_size_is_asked_for(had: str, wanted: str, grows: bool) -> None:
    assert (grown(claim(size=wanted), claim(size=had)) is not None) is grows


def test_a_volume_that_grows_keeps_its_class_and_modes() -> None:
    change = grown(claim(size="1Gi", className="fast"), claim(size="64Mi"))
    assert change is not None
    assert change["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "slow",
    }


def test_a_volume_that_is_not_bound_yet_or_on_its_way_out_is_left_alone() -> None:
    live = claim(size="64Mi")
    assert grown(claim(size="1Gi"), {**live, "status": {"phase": "Pending"}}) is None
    assert grown(claim(size="1Gi"), {**live, "status": {"phase": "Bound"}}) is not None
    live["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert grown(claim(size="1Gi"), live) is None


@pytest.mark.parametrize(
    ("asked", "had", "capacity", "refusal", "reason", "words"),
    [
        ({}, {"size": "64Mi"}, None, None, "AsAsked", "64Mi of class slow"),
        ({"size": "1Gi"}, {"size": "1Gi"}, "1Gi", None, "AsAsked", "1Gi"),
        ({"size": "1Gi"}, {"size": "1Gi"}, "64Mi", None, "Growing", "from 64Mi to 1Gi: waiting for the node"),
        ({"size": "1Gi"}, {"size": "64Mi"}, "64Mi", "the class must support it", "GrowthRefused",
         "the class must support it; its StorageClass needs `allowVolumeExpansion: true`"),
        ({"size": "64Mi"}, {"size": "1Gi"}, "1Gi", None, "SizeFixed", "set `storage.size` to 1Gi"),
        ({"className": "fast"}, {"size": "64Mi"}, None, None, "ClassFixed", "has class slow and keeps it"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_volume(
    asked: dict[str, str],
    had: dict[str, str],
    capacity: str | None,
    refusal: str | None,
    reason: str,
    words: str,
) -> None:
    live = claim(**had)
    if capacity is not None:
        live["status"] = {"capacity": {"storage": capacity}, "conditions": TOLD}
    found = storage_condition(
        claim(**asked),
        live,
        asked_class=asked.get("className"),
        asked_size=asked.get("size"),
        refusal=refusal,
    )
    assert (found.type, found.reason, found.status == "True") == (
        "StorageCurrent",
        reason,
        reason == "AsAsked",
    )
    assert words in found.message


def test_a_webhook_has_no_volume_to_speak_of() -> None:
    with pytest.raises(ManifestError, match="a webhook has no checkpoint to keep"):
        parse_manifests(
            {
                "w": json.dumps(
                    {
                        "apiVersion": OWNER["apiVersion"],
                        "kind": "Connector",
                        "metadata": {"name": "w"},
                        "spec": {
                            "type": "webhook",
                            "endpointIdentity": "webhook:a",
                            "webhook": {"tokenSecretRef": {"name": "w", "key": "t"}},
                            "storage": {"size": "1Gi"},
                        },
                    }
                )
            }
        )
