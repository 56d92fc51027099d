"""Every object of every rendering: valid, restricted, without a right too many, the same for server-side apply."""

from __future__ import annotations

import json
from functools import cache
from itertools import chain

import pytest

from tests.support.helm import CHARTS
from tests.support.kubernetes_schemas import check_object

CUSTOM = ("monitoring.coreos.com/",)
FORBIDDEN_VERBS = {"*", "escalate", "bind", "impersonate"}
CLUSTER_SCOPED = {
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "PriorityClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
}
LIST_KEYS = {
    "env": ("name",),
    "ports": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath",),
    "containers": ("name",),
    "imagePullSecrets": ("name",),
    "conditions": ("type",),
}
"""Lists of pods and Services that the API server merges by key; one key twice is refused by server-side apply."""


@cache
def validate(document):
    check_object(json.loads(document))


def test_every_object_is_valid_to_the_letter(rendered):
    for one in rendered.objects:
        if not one["apiVersion"].startswith(CUSTOM):
            validate(json.dumps(one, sort_keys=True))


def lists_of(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from lists_of(inner, key)
    elif isinstance(value, list):
        yield name, value
        for inner in value:
            yield from lists_of(inner)


def test_no_list_has_a_key_twice(rendered):
    for one in rendered.objects:
        if one["kind"] == "NetworkPolicy":
            continue
        for name, items in lists_of(one):
            for key in LIST_KEYS.get(name, ()):
                values = [item[key] for item in items if isinstance(item, dict) and key in item]
                assert len(values) == len(set(values)), (one["kind"], one["metadata"]["name"], name, values)


def test_no_object_comes_twice(rendered):
    names = [
        (one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]) for one in rendered.objects
    ]
    assert len(names) == len(set(names))


def test_every_object_says_where_it_is(rendered):
    for one in rendered.objects:
        if one["kind"] not in (*CLUSTER_SCOPED, "ResourceQuota"):
            assert one["metadata"].get("namespace"), one["metadata"]["name"]


def test_every_pod_is_restricted(rendered):
    pods = list(rendered.pods())
    assert pods
    for name, pod in pods:
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
        for volume in pod["volumes"]:
            assert volume.keys() & {"configMap", "secret", "projected", "emptyDir", "persistentVolumeClaim"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "runAsNonRoot": True,
                "capabilities": {"drop": ["ALL"]},
                "seccompProfile": {"type": "RuntimeDefault"},
            }, name
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            assert "memory" in container["resources"]["limits"]


def test_only_the_operator_has_a_token_for_the_api(rendered):
    for name, pod in rendered.pods():
        assert pod["automountServiceAccountToken"] is (name == "butlers-operator"), name
    for account in rendered.of_kind("ServiceAccount"):
        assert account["automountServiceAccountToken"] is False


def rules_of(rendered):
    return list(chain.from_iterable(role["rules"] for role in rendered.of_kind("Role", "ClusterRole")))


def test_no_right_is_a_wildcard_or_leads_to_others(rendered):
    for rule in rules_of(rendered):
        assert not FORBIDDEN_VERBS & set(rule["verbs"]), rule
        for key in ("apiGroups", "resources", "nonResourceURLs"):
            assert not any("*" in item for item in rule.get(key, ())), rule


def test_secrets_are_read_by_name_and_watched_for_reloads(rendered):
    for rule in rules_of(rendered):
        if "secrets" in rule.get("resources", ()):
            assert "deletecollection" not in rule["verbs"], rule
            assert rule.get("resourceNames") or rule["verbs"] in (["get"], ["create"], ["list", "watch"]), (
                rule
            )


def test_whoever_is_bound_and_run_as_exists(rendered):
    accounts = {
        (one["metadata"]["namespace"], one["metadata"]["name"]) for one in rendered.of_kind("ServiceAccount")
    }
    roles = {one["metadata"]["name"] for one in rendered.of_kind("Role", "ClusterRole")}
    for binding in rendered.of_kind("RoleBinding", "ClusterRoleBinding"):
        assert binding["roleRef"]["name"] in roles
        bound = [subject for subject in binding["subjects"] if subject["kind"] == "ServiceAccount"]
        assert {(subject["namespace"], subject["name"]) for subject in bound} <= accounts
    for one in rendered.of_kind("Deployment", "StatefulSet"):
        account = one["spec"]["template"]["spec"]["serviceAccountName"]
        assert (one["metadata"]["namespace"], account) in accounts


def test_every_object_has_the_recommended_labels(rendered):
    for one in rendered.objects:
        if one["kind"] in ("CustomResourceDefinition", "ResourceQuota"):
            continue
        labels = one["metadata"]["labels"]
        assert labels["app.kubernetes.io/part-of"] == "butlers"
        assert labels["app.kubernetes.io/managed-by"] == "Helm"
        assert {"helm.sh/chart", "app.kubernetes.io/name", "app.kubernetes.io/instance"} <= labels.keys()


def test_selectors_are_of_labels_that_never_change(rendered):
    stable = {"app.kubernetes.io/name", "app.kubernetes.io/instance"}
    for one in rendered.of_kind("Deployment", "StatefulSet"):
        selector = one["spec"]["selector"]["matchLabels"]
        assert selector.keys() == stable
        assert selector.items() <= one["spec"]["template"]["metadata"]["labels"].items()
    for one in rendered.of_kind("Service"):
        assert one["spec"]["selector"].keys() == stable


def test_a_service_leads_to_ports_that_its_pods_have(rendered):
    for service in rendered.of_kind("Service"):
        selector = service["spec"]["selector"].items()
        containers = [
            container
            for one in rendered.of_kind("Deployment", "StatefulSet")
            if selector <= one["spec"]["template"]["metadata"]["labels"].items()
            for container in one["spec"]["template"]["spec"]["containers"]
        ]
        named = {port["name"] for container in containers for port in container["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= named


@pytest.mark.parametrize("chart", ["butlers", "butlers-crds"])
def test_helm_finds_nothing_to_say(helm, chart):
    done = helm.run("lint", "--strict", str(CHARTS / chart))
    assert done.returncode == 0, done.stdout
    assert "[WARNING]" not in done.stdout


@pytest.mark.parametrize(
    ("values", "kind", "name"),
    [
        ("operator", "Deployment", "butlers-operator"),
        ("dashboard", "Deployment", "butlers-dashboard"),
        ("postgresql.embedded", "StatefulSet", "butlers-postgresql"),
    ],
)
def test_what_is_said_of_a_pod_of_the_chart_is_in_it(render, values, kind, name):
    more = {
        "podLabels.team": "home",
        "podLabels.app\\.kubernetes\\.io/name": "other",
        "podAnnotations.note": "x",
        "topologySpreadConstraints[0].topologyKey": "zone",
        "extraEnv[0].name": "HTTPS_PROXY",
        "extraVolumes[0].name": "ca",
        "extraVolumeMounts[0].name": "ca",
    }
    given = [word for key, value in more.items() for word in ("--set", f"{values}.{key}={value}")]
    template = render("default", "--set", "dashboard.enabled=true", *given).one(kind, name)["spec"][
        "template"
    ]
    (process,) = template["spec"]["containers"]
    labels = template["metadata"]["labels"]
    assert (labels["team"], labels["app.kubernetes.io/name"]) == ("home", name)
    assert template["metadata"]["annotations"]["note"] == "x"
    assert template["spec"]["topologySpreadConstraints"] == [{"topologyKey": "zone"}]
    assert process["env"][-1] == {"name": "HTTPS_PROXY"}
    assert (template["spec"]["volumes"][-1], process["volumeMounts"][-1]) == ({"name": "ca"}, {"name": "ca"})
