"""Whatever the models let through becomes objects that Kubernetes takes and runs."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from butler_resources.kinds.base import Metadata
from butler_resources.render.cluster import child_name, named, references
from butler_resources.render.cluster.environment import literal
from tests.support.kubernetes_schemas import check_object
from tests.unit.resources.render.households import (
    PLACE,
    Manifest,
    Resource,
    containers,
    names,
    one,
    render,
    resources,
)

slow = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@slow
@given(resources)
def test_any_resource_becomes_objects_of_kubernetes(resource: Resource) -> None:
    for manifest in render(resource):
        check_object(manifest)


@quick
@given(resources)
def test_the_same_resource_always_becomes_the_same_bytes(resource: Resource) -> None:
    again = type(resource).model_validate_json(resource.model_dump_json(by_alias=True, exclude_none=True))
    first = render(resource, PLACE, {"a": "1", "b": "2"})
    assert json.dumps(first) == json.dumps(render(again, PLACE, {"b": "2", "a": "1"}))


@quick
@given(resources)
def test_every_child_is_owned_and_named_after_its_resource(resource: Resource) -> None:
    for manifest in render(resource):
        metadata = manifest["metadata"]
        assert metadata["name"] == f"{resource.kind.lower()}-{resource.name}"
        assert len(metadata["name"]) <= 63
        assert metadata["namespace"] == PLACE.namespace
        (owner,) = metadata["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["uid"]) == (resource.kind, resource.name, "u-1")
        assert (owner["controller"], owner["blockOwnerDeletion"]) == (True, True)


@quick
@given(resources)
def test_selectors_select_the_pods_and_only_by_what_never_changes(resource: Resource) -> None:
    objects = render(resource)
    (deployment,) = (found for found in objects if found["kind"] == "Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    found = list(selectors(objects))
    assert len(found) >= 2
    for selector in found:
        assert selector.items() <= labels.items()
        assert set(selector) == {"app.kubernetes.io/name", "app.kubernetes.io/instance"}


def selectors(objects: tuple[Manifest, ...]) -> Any:
    """The selectors by which objects mean the resource's own pods."""
    for manifest in objects:
        spec = manifest.get("spec", {})
        if manifest["kind"] == "Service":
            yield spec["selector"]
        elif manifest["kind"] == "NetworkPolicy":
            yield spec["podSelector"]["matchLabels"]
        elif "selector" in spec:
            yield spec["selector"]["matchLabels"]
            for spread in spec.get("template", {}).get("spec", {}).get("topologySpreadConstraints", []):
                yield spread["labelSelector"]["matchLabels"]


@quick
@given(resources)
def test_ports_have_one_name_and_one_number_each_and_services_lead_to_them(resource: Resource) -> None:
    objects = render(resource)
    (deployment,) = (found for found in objects if found["kind"] == "Deployment")
    (process,) = deployment["spec"]["template"]["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in process["ports"]}
    assert len(set(ports.values())) == len(ports) == len(process["ports"])
    for service in (found for found in objects if found["kind"] == "Service"):
        assert [port["targetPort"] in ports for port in service["spec"]["ports"]] == [True]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert process[probe]["httpGet"]["port"] == "http"


@quick
@given(resources)
def test_no_name_is_given_twice_where_names_are_keys(resource: Resource) -> None:
    (deployment,) = (found for found in render(resource) if found["kind"] == "Deployment")
    pod = deployment["spec"]["template"]
    assert no_twice(volume["name"] for volume in pod["spec"]["volumes"])
    for container in containers(pod):
        assert no_twice(entry["name"] for entry in container.get("env", []))
        assert no_twice(mount["mountPath"] for mount in container["volumeMounts"])


def no_twice(values: Any) -> bool:
    found = list(values)
    return len(found) == len(set(found))


@quick
@given(resources)
def test_every_secret_that_a_pod_reads_is_a_reference_that_is_told(resource: Resource) -> None:
    told = {ref.name for ref in references(resource, PLACE)} | {"switchboard-signing"}
    (deployment,) = (found for found in render(resource) if found["kind"] == "Deployment")
    assert set(secret_names(deployment)) <= told
    judged = {one.ref for one in named(resource, PLACE.household)}
    assert set(references(resource, PLACE)) - {PLACE.database} <= judged
    keys = {(ref.name, ref.key) for ref in references(resource, PLACE)}
    assert keys <= set(secret_keys(deployment))


def secret_names(node: Any) -> Any:
    if isinstance(node, dict):
        if "secretKeyRef" in node:
            yield node["secretKeyRef"]["name"]
        if "secretName" in node:
            yield node["secretName"]
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            yield from secret_names(inner)


def secret_keys(node: Any) -> Any:
    if isinstance(node, dict):
        if "secretKeyRef" in node:
            yield node["secretKeyRef"]["name"], node["secretKeyRef"]["key"]
        if "secretName" in node:
            yield from ((node["secretName"], item["key"]) for item in node.get("items", []))
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            yield from secret_keys(inner)


@settings(quick)
@given(names, names)
def test_a_butler_and_a_connector_never_share_a_child(first: str, second: str) -> None:
    butler = child_name(one("finance").model_copy(update={"metadata": Metadata(name=first)}))
    connector = child_name(one("mail").model_copy(update={"metadata": Metadata(name=second)}))
    assert butler != connector
    assert not butler.startswith("butlers-")
    assert not connector.startswith("butlers-")


@settings(quick)
@given(st.text("$(){}AZ_az ", max_size=30))
def test_the_kubelet_hands_a_value_on_as_the_manifest_says_it(text: str) -> None:
    assert expanded(literal(text), {"A": "other", "Z": "another", "": "nothing"}) == text


def expanded(text: str, variables: dict[str, str]) -> str:
    """What the kubelet makes of a value (its `expansion.Expand`): `$$` is `$`, `$(NAME)` a known variable's value."""
    out, at = [], 0
    while at < len(text):
        if text[at] != "$" or at + 1 == len(text):
            out.append(text[at])
            at += 1
        elif text[at + 1] == "$":
            out.append("$")
            at += 2
        elif text[at + 1] == "(" and ")" in text[at + 2 :]:
            end = text.index(")", at + 2)
            name = text[at + 2 : end]
            out.append(variables.get(name, text[at : end + 1]))
            at = end + 1
        else:
            out.append("$")
            at += 1
    return "".join(out)


@pytest.mark.parametrize("text", ["$(A)", "$$(A)", "cost: $5", "$"])
def test_the_model_of_the_kubelet_knows_the_traps(text: str) -> None:
    read = {"$(A)": "x", "$$(A)": "$(A)", "cost: $5": "cost: $5", "$": "$"}
    assert expanded(text, {"A": "x"}) == read[text]
