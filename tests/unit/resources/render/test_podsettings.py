"""What a manifest says about its pods, over what its place says: Butlers and Connectors, to the Deployment."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from butler_resources.kinds import Butler, ManifestError, SecretRef, parse_manifests
from butler_resources.kinds.pod import HouseholdPod
from butler_resources.kinds.quantities import amount, canonical
from butler_resources.render.cluster import Place, references
from tests.unit.resources.render.households import (
    PLACE,
    Manifest,
    changed,
    child,
    containers,
    one,
    render,
    template,
)
from tests.unit.resources.render.test_pods import violations

GOLDEN = Path(__file__).parents[3] / "golden/cluster/cases/particular-pods.yaml"
MESSENGER = parse_manifests({"golden": GOLDEN.read_text()}).butlers[0]
SWITCHBOARD_S = {"audience": "butlers.dev/switchboard", "expirationSeconds": 3600, "path": "switchboard"}
EVERY = [pytest.param(one(name), id=name) for name in ("switchboard", "finance", "mail", "webhook")]


def placed(**pod: Any) -> Place:
    return replace(PLACE, pod=HouseholdPod.model_validate_json(json.dumps(pod)))


def deployed(said: Manifest, place: Place = PLACE, name: str = "finance") -> Manifest:
    """The pod's own part of a template."""
    spec: Manifest = template(changed(one(name), pod=said), place)["spec"]
    return spec


@pytest.mark.parametrize(
    ("place", "said", "merged"),
    [
        ({"nodeSelector": {"a": "1", "b": "1"}}, {"nodeSelector": {"b": "2"}}, {"nodeSelector": {"a": "1", "b": "2"}}),
        (
            {"tolerations": [{"key": "a", "operator": "Exists"}]},
            {"tolerations": [{"key": "b", "operator": "Exists"}]},
            {"tolerations": [{"key": "b", "operator": "Exists"}]},
        ),
        ({"tolerations": [{"operator": "Exists"}]}, {"tolerations": []}, {"tolerations": None}),
        ({"tolerations": [{"operator": "Exists"}]}, {}, {"tolerations": [{"operator": "Exists"}]}),
        ({"priorityClassName": "low"}, {"priorityClassName": "high"}, {"priorityClassName": "high"}),
        ({"priorityClassName": "low"}, {"labels": {"a": "b"}}, {"priorityClassName": "low"}),
        (
            {"affinity": {"nodeAffinity": {"n": 1}, "podAffinity": {"p": 1}}},
            {"affinity": {"podAffinity": {"p": 2}}},
            {"affinity": {"nodeAffinity": {"n": 1}, "podAffinity": {"p": 2}}},
        ),
        ({"terminationGracePeriodSeconds": 60}, {}, {"terminationGracePeriodSeconds": 60}),
        ({}, {}, {"terminationGracePeriodSeconds": 45, "affinity": None, "nodeSelector": None}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["finance", "mail"])
def test_a_manifest_wins_over_its_place(name: str, place: Manifest, said: Manifest, merged: Manifest) -> None:
    found = deployed(said, placed(**place), name)
    assert {key: found.get(key) for key in merged} == merged


@pytest.mark.parametrize(
    ("said", "requests", "limits"),
    [
        ({"requests": {"memory": "256Mi"}}, {"cpu": "50m", "memory": "256Mi"}, {"memory": "512Mi"}),
        ({"requests": {"memory": "2Gi"}}, {"cpu": "50m", "memory": "2Gi"}, {"memory": "2Gi"}),
        ({"limits": {"memory": "64Mi"}}, {"cpu": "50m", "memory": "64Mi"}, {"memory": "64Mi"}),
        ({"requests": {"cpu": 1}, "limits": {"cpu": "1500m"}}, {"cpu": "1", "memory": "128Mi"},
         {"cpu": "1500m", "memory": "512Mi"}),
    ],
)  # fmt: skip
def test_an_inherited_amount_gives_way_so_that_no_request_is_above_its_limit(
    said: Manifest, requests: Manifest, limits: Manifest
) -> None:
    for container in deployed({"resources": said})["containers"]:
        assert container["resources"] == {"requests": requests, "limits": limits}


@pytest.mark.parametrize("resource", EVERY)
def test_labels_and_annotations_come_beside_ours_and_never_instead(resource: Any) -> None:
    place = placed(labels={"team": "home", "cost": "1"}, annotations={"a": "b"})
    plain, said = template(resource)["metadata"], {"labels": {"cost": "2"}, "annotations": {"c": "d"}}
    found = template(changed(resource, pod=said), place)["metadata"]
    assert found["labels"] == plain["labels"] | {"team": "home", "cost": "2"}
    assert found["annotations"] == plain["annotations"] | {"a": "b", "c": "d"}
    selector = child(changed(resource, pod=said), "Deployment", place)["spec"]["selector"]
    assert selector == child(resource, "Deployment")["spec"]["selector"]


@pytest.mark.parametrize("run_as", [65532, None])
def test_no_setting_takes_the_restricted_profile_away(run_as: int | None) -> None:
    pod = template(MESSENGER, replace(PLACE, run_as=run_as))
    assert set(violations(pod)) <= {"volume csi"}  # which the profile allows
    assert pod["spec"]["automountServiceAccountToken"] is False
    writable = {m["name"] for one in containers(pod) for m in one["volumeMounts"] if not m.get("readOnly")}
    assert writable == {"tmp", "database", "extra-work"}
    tokens = [
        source
        for volume in pod["spec"]["volumes"]
        for source in volume.get("projected", {}).get("sources", [])
    ]
    assert [source for source in tokens if "serviceAccountToken" in source] == [
        {"serviceAccountToken": SWITCHBOARD_S}
    ]


@pytest.mark.parametrize(
    "said",
    [
        {"hostNetwork": True},
        {"securityContext": {"runAsUser": 0}},
        {"serviceAccountName": "other"},
        {"volumes": [{"name": "host", "hostPath": {"path": "/"}}]},
        {"volumes": [{"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}]},
        {"volumes": [{"name": "v", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "s"}}}]},
        {"volumes": [{"name": "c", "configMap": {"name": "c"}}],
         "volumeMounts": [{"name": "c", "mountPath": "/etc/x/../butlers"}]},
        {"volumes": [{"name": "c", "configMap": {"name": "c"}}], "volumeMounts": [{"name": "c", "mountPath": "/run"}]},
    ],
)  # fmt: skip
def test_what_would_make_pods_unsafe_cannot_be_said(said: Manifest) -> None:
    document = one("finance").model_dump(by_alias=True, exclude_unset=True, mode="json")
    document["spec"]["pod"] = said
    with pytest.raises(ManifestError):
        parse_manifests({"finance": json.dumps(document)})


def test_every_value_of_a_secret_in_a_volume_is_a_reference_the_place_s_too() -> None:
    keys = {(ref.name, ref.key) for ref in references(MESSENGER)}
    assert keys == {("client-certificate", key) for key in ("tls.crt", "tls.key", "ca.crt")}
    place = placed(
        volumes=[{"name": "ca", "secret": {"secretName": "ca", "items": [{"key": "k", "path": "p"}]}}]
    )
    assert SecretRef(name="ca", key="k") in references(one("mail"), place)


@pytest.mark.parametrize("name", ["finance", "mail"])
def test_pull_secrets_of_a_manifest_come_beside_the_place_s(name: str) -> None:
    place = replace(PLACE, image_pull_secrets=("registry", "mirror"))
    said = {"image": "x.test/team/butlers:1", "imagePullSecrets": ["team", "registry"]}
    found = [one["name"] for one in deployed(said, place, name)["imagePullSecrets"]]
    assert found == ["registry", "mirror", "team"]
    assert [one["name"] for one in deployed({}, place, name)["imagePullSecrets"]] == ["registry", "mirror"]


def test_volumes_of_the_place_and_the_manifest_are_merged_by_name_and_path() -> None:
    place = placed(
        volumes=[{"name": "ca", "configMap": {"name": "old"}}, {"name": "vault", "csi": {"driver": "d"}}],
        volumeMounts=[{"name": "ca", "mountPath": "/etc/ca"}, {"name": "vault", "mountPath": "/vault"}],
    )
    said = {
        "volumes": [{"name": "ca", "configMap": {"name": "new"}}],
        "volumeMounts": [{"name": "ca", "mountPath": "/etc/other"}],
    }
    pod = deployed(said, place)
    added = {volume["name"]: volume for volume in pod["volumes"] if volume["name"].startswith("extra-")}
    assert added["extra-ca"]["configMap"] == {"name": "new"}
    assert added["extra-vault"]["csi"] == {"driver": "d", "readOnly": True}
    mounts = [
        mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"] if "extra-" in mount["name"]
    ]
    assert mounts == ["/etc/ca", "/vault", "/etc/other"]


@pytest.mark.parametrize(
    ("said", "spec"),
    [
        ({}, {"maxUnavailable": 1}),
        ({"maxUnavailable": "50%"}, {"maxUnavailable": "50%"}),
        ({"minAvailable": 2}, {"minAvailable": 2}),
        ({"enabled": False}, None),
    ],
)
def test_a_budget_is_as_it_is_said(said: Manifest, spec: Manifest | None) -> None:
    butler = changed(one("finance"), replicas=3, pod={"disruptionBudget": said})
    found = [made["spec"] for made in render(butler) if made["kind"] == "PodDisruptionBudget"]
    bounds = [{key: value for key, value in one.items() if key.startswith("m")} for one in found]
    assert bounds == ([] if spec is None else [spec])


@pytest.mark.parametrize(
    "said",
    [
        {"disruptionBudget": {"minAvailable": 1}},
        {"serviceAccountAnnotations": {"eks.amazonaws.com/role-arn": "arn"}},
        {"service": {"annotations": {"a": "b"}}},
    ],
)
def test_what_pods_do_not_see_replaces_none(said: Manifest) -> None:
    plain = changed(one("finance"), replicas=2)
    butler = changed(one("finance"), replicas=2, pod=said)
    assert render(butler) != render(plain)
    assert child(butler, "Deployment") == child(plain, "Deployment")


@pytest.mark.parametrize("field", sorted(MESSENGER.spec.pod.model_fields_set if MESSENGER.spec.pod else ()))
def test_every_setting_of_the_golden_manifest_reaches_an_object(field: str) -> None:
    pod = (
        MESSENGER.spec.pod.model_dump(by_alias=True, exclude_unset=True, mode="json")
        if MESSENGER.spec.pod
        else {}
    )
    name = next(alias for alias in pod if alias.replace("_", "").lower() == field.replace("_", "").lower())
    without = {key: value for key, value in pod.items() if key not in (name, "volumeMounts")}
    whole = {key: value for key, value in pod.items() if name == "volumeMounts" or key != "volumeMounts"}
    assert render(changed(MESSENGER, pod=without)) != render(changed(MESSENGER, pod=whole))


def test_a_webhook_is_reached_from_outside_when_it_says_so_and_no_butler_ever() -> None:
    outside = changed(one("webhook"), pod={"service": {"type": "LoadBalancer", "annotations": {"a": "b"}}})
    service = child(outside, "Service")
    assert (service["spec"]["type"], service["metadata"]["annotations"]) == ("LoadBalancer", {"a": "b"})
    assert isinstance(MESSENGER, Butler)
    assert child(MESSENGER, "Service")["spec"]["type"] == "ClusterIP"


@pytest.mark.parametrize(
    ("written", "stored"),
    [("1024Mi", "1Gi"), ("1.5Gi", "1536Mi"), ("0.5", "500m"), ("1000m", "1"), (1, "1"), ("2000", "2k"),
     ("1500m", "1500m"), ("1000Mi", "1000Mi"), ("100M", "100M"), (0, "0"), ("0.0005", "500u"), ("512Ki", "512Ki")],
)  # fmt: skip
def test_a_quantity_is_written_as_the_api_server_stores_it(written: int | str, stored: str) -> None:
    assert canonical(written) == stored
    assert amount(written) == amount(stored)
