"""The chart and the operator's code agree: environment, place, rights, tokens, labels that network policies name."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from butler_kit.telemetry import otlp
from butler_operator.cluster.paths import CHILD_KINDS, OWN_KINDS, POD
from butler_operator.control.place import place_for
from butler_operator.settings import OperatorSettings
from butler_resources.kinds import SecretRef
from butler_resources.kinds.names import MANAGED_BY, WATCH_LABEL
from butler_resources.render.cluster import READER, SIGNING_SECRET, TOKEN_AUDIENCE, Place
from butler_resources.render.cluster.flows import Party
from butler_resources.render.cluster.networkpolicy import HOUSEHOLD_LABELS


def operator_pod(rendered):
    return rendered.one("Deployment", "butlers-operator")["spec"]["template"]


def place_of(rendered, folder):
    """What the operator makes of its environment and its file in a household's namespace."""
    (container,) = operator_pod(rendered)["spec"]["containers"]
    env = {entry["name"]: entry["value"] for entry in container["env"]}
    mounted = rendered.one("ConfigMap", "butlers-operator-place")["data"]
    file = folder / Path(env["BUTLERS_PLACE_FILE"]).name
    file.write_text(mounted[file.name])
    settings = OperatorSettings.from_env(env | {"BUTLERS_PLACE_FILE": str(file)})
    return place_for(settings, (*settings.namespaces, "labelled")[0])


@pytest.fixture
def place(rendered, tmp_path):
    return place_of(rendered, tmp_path)


def test_every_variable_and_field_is_one_that_the_operator_knows(rendered):
    known = re.compile("|".join(sorted({*variables(), otlp.ENDPOINT})))
    (container,) = operator_pod(rendered)["spec"]["containers"]
    for entry in container["env"]:
        assert entry["name"] == "HOME" or known.fullmatch(entry["name"]), entry
    place = rendered.one("ConfigMap", "butlers-operator-place")["data"]["place.json"]
    assert set(re.findall(r'^  "([a-z_]+)":', place, re.MULTILINE)) <= {field.name for field in fields(Place)}


def variables():
    from butler_operator import settings

    return settings._VARIABLES.values()


def test_the_operator_knows_itself_by_its_pod_s_labels(rendered, place):
    assert place.operator_namespace == "house"
    assert place.operator_pods.items() <= operator_pod(rendered)["metadata"]["labels"].items()


def test_the_household_s_policies_find_the_embedded_database(rendered, place):
    for one in rendered.of_kind("StatefulSet"):
        assert place.database_pods.items() <= one["spec"]["template"]["metadata"]["labels"].items()
        assert place.database == SecretRef(name="butlers-postgresql", key="uri")


def test_the_database_s_policy_finds_the_butlers(render):
    policy = render("default").one("NetworkPolicy", "butlers-postgresql")["spec"]
    butlers = policy["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    for party in (Party.SWITCHBOARD, Party.MESSENGER, Party.SPECIALIST):
        assert butlers.items() <= HOUSEHOLD_LABELS[party].items()
    assert not butlers.items() <= HOUSEHOLD_LABELS[Party.CONNECTOR].items()
    assert "egress" not in policy


def test_the_operator_s_policy_finds_switchboard_and_messenger_only(render):
    *_, household = render("households").one("NetworkPolicy", "butlers-operator")["spec"]["egress"]
    (peer,) = household["to"]
    assert peer["namespaceSelector"]["matchExpressions"][0]["values"] == ["house-a", "house-b"]
    chosen = {
        party
        for party, labels in HOUSEHOLD_LABELS.items()
        if all(labels.get(rule["key"]) in rule["values"] for rule in peer["podSelector"]["matchExpressions"])
    }
    assert chosen == {Party.SWITCHBOARD, Party.MESSENGER}


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("external", {"database": SecretRef(name="household-app", key="uri"),
                      "database_pods": {"cnpg.io/cluster": "household"}}),
        ("ha", {"database": SecretRef(name="butlers-database", key="url"), "database_port": 6432, "database_pods": {},
                "storage_class": "fast", "storage_size": "1Gi", "extra_egress_ports": [4318],
                "allowed_images": ["registry.example/team/", "registry.example/butlers-codex:"]}),
        ("restricted", {"run_as": None, "image_pull_secrets": ("pull",),
                        "image": f"registry.example:5000/butlers@sha256:{'0' * 64}"}),
        ("monitoring", {"metrics_namespace": "monitoring", "log_format": "json"}),
        ("default", {"image": "localhost/butlers:dev", "run_as": 65532, "metrics_namespace": None,
                     "allowed_images": []}),
    ],
)  # fmt: skip
def test_values_reach_the_household_s_pods(render, case, expected, tmp_path):
    made = place_of(render(case), tmp_path)
    assert {name: getattr(made, name) for name in expected} == expected


def test_the_log_s_format_reaches_the_household_s_pods_and_the_dashboard_s(render, tmp_path):
    rendered = render("default", "--set", "household.logFormat=console", "--set", "dashboard.enabled=true")
    assert place_of(rendered, tmp_path).log_format == "console"
    pod = rendered.one("Deployment", "butlers-dashboard")["spec"]["template"]["spec"]
    env = {entry["name"]: entry.get("value") for entry in pod["containers"][0]["env"]}
    assert env["BUTLERS_LOG_FORMAT"] == "console"


def test_settings_of_pods_reach_the_household_as_its_manifests_would_say_them(render, tmp_path):
    pod = place_of(render("ha"), tmp_path).pod
    assert (pod.priority_class_name, pod.node_selector) == ("household", {"pool": "household"})
    assert (pod.resources.requests["memory"], pod.resources.limits["memory"]) == ("256Mi", "1Gi")
    assert [mount.mount_path for mount in pod.volume_mounts] == ["/etc/company-ca"]
    assert pod.disruption_budget.min_available == "50%"


def test_the_test_s_pod_runs_where_the_household_s_do(render):
    (pod,) = render("ha").of_kind("Pod")
    assert pod["spec"]["nodeSelector"] == {"pool": "household"}
    assert pod["spec"]["priorityClassName"] == "household"


def test_every_household_has_the_operator_s_rights_and_its_own_reader(render):
    rendered = render("households")
    namespaces = {"house-a", "house-b"}
    for kind, name in (
        ("Role", "butlers-operator"),
        ("RoleBinding", "butlers-operator"),
        ("ServiceAccount", "butlers-reader"),
        ("StatefulSet", "butlers-postgresql"),
    ):
        found = [one for one in rendered.of_kind(kind) if one["metadata"]["name"] == name]
        assert {one["metadata"]["namespace"] for one in found} == namespaces
    assert rendered.one("Deployment", "butlers-operator")["metadata"]["namespace"] == "house"


def may(rendered, group, resource, verb, name=None):
    role = rendered.one("Role", "butlers-operator")
    return any(
        group in rule["apiGroups"]
        and resource in rule["resources"]
        and verb in rule["verbs"]
        and (not rule.get("resourceNames") or name in rule["resourceNames"])
        for rule in role["rules"]
    )


def test_the_operator_may_do_what_it_does(render):
    rendered = render("default")
    for kind in CHILD_KINDS:
        for verb in ("get", "list", "watch", "create", "patch", "delete"):
            assert may(rendered, kind.group, kind.plural, verb), (kind, verb)
    for kind in OWN_KINDS:
        for verb in ("get", "list", "watch", "patch"):
            assert may(rendered, kind.group, kind.plural, verb), (kind, verb)
        assert may(rendered, kind.group, f"{kind.plural}/status", "patch")
        assert may(rendered, kind.group, f"{kind.plural}/finalizers", "update")
    for verb in ("get", "list", "watch", "patch"):
        assert may(rendered, POD.group, POD.plural, verb)
    assert not may(rendered, POD.group, POD.plural, "create")
    assert may(rendered, "butlers.dev", "butleroperations", "delete")
    assert not may(rendered, "butlers.dev", "butlers", "delete")
    assert may(rendered, "", "secrets", "get", "any-name")
    assert may(rendered, "events.k8s.io", "events", "create")


def test_who_wants_no_secret_listed_takes_that_right_away(render):
    kept, taken = render("default"), render("default", "--set", "rbac.watchSecrets=false")
    for verb in ("list", "watch"):
        assert may(kept, "", "secrets", verb)
        assert not may(taken, "", "secrets", verb)
    assert may(taken, "", "secrets", "get", "any-name")


def test_the_operator_changes_no_secret_but_switchboard_s_key(render):
    rendered = render("default")
    for verb in ("patch", "update", "delete"):
        assert may(rendered, "", "secrets", verb, SIGNING_SECRET)
        assert not may(rendered, "", "secrets", verb, "butlers-postgresql")


KEYS = {"nonResourceURLs": ["/openid/v1/jwks", "/.well-known/openid-configuration"], "verbs": ["get"]}


def test_the_operator_may_do_nothing_in_the_whole_cluster_but_read_its_keys_and_find_its_namespaces(render):
    (binding,) = render("households").of_kind("ClusterRoleBinding")
    role = render("households").one("ClusterRole", binding["roleRef"]["name"])
    names = {"resourceNames": ["house-a", "house-b"], "verbs": ["get"]}
    assert role["rules"] == [KEYS, {"apiGroups": [""], "resources": ["namespaces"], **names}]


def test_an_operator_beside_its_households_may_tell_about_them_where_it_is(render):
    role = render("households").one("Role", "butlers-operator-itself", "house")
    assert [rule["resources"] for rule in role["rules"]] == [["deployments"], ["events"]]
    assert role["rules"][0]["resourceNames"] == ["butlers-operator"]


def test_by_label_the_operator_has_its_rights_everywhere_or_where_somebody_binds_them(render):
    everywhere = render("labelled")
    role = everywhere.one("ClusterRole", "butlers:house:household")
    assert role["rules"] == render("default").of_kind("Role")[0]["rules"]
    assert (
        everywhere.one("ClusterRoleBinding", "butlers:house:household")["roleRef"]["name"]
        == role["metadata"]["name"]
    )
    assert [one["metadata"]["name"] for one in everywhere.of_kind("Role")] == ["butlers-operator-lease"]
    bound = render("labelled", "--set", "watchLabelled.clusterWide=false")
    assert bound.one("ClusterRole", "butlers:house:household")["rules"] == role["rules"]
    assert [one["metadata"]["name"] for one in bound.of_kind("ClusterRoleBinding")] == [
        "butlers:house:operator"
    ]
    for rendered in (everywhere, bound):
        reading = rendered.one("ClusterRole", "butlers:house:operator")["rules"][1]
        assert reading == {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list"]}


def test_by_label_the_operator_makes_the_readers_account(render, tmp_path):
    """The chart makes none, and the operator may."""
    rendered = render("labelled")
    assert not [one for one in rendered.of_kind("ServiceAccount") if one["metadata"]["name"] == READER]
    assert place_of(rendered, tmp_path).by_label
    assert not place_of(render("households"), tmp_path).by_label
    role = rendered.one("ClusterRole", "butlers:house:household")
    (rule,) = [rule for rule in role["rules"] if "serviceaccounts" in rule["resources"]]
    assert {"get", "list", "watch", "create", "patch", "delete"} <= set(rule["verbs"])


def test_by_label_the_operator_reaches_whoever_has_it(render):
    *_, household = render("labelled").one("NetworkPolicy", "butlers-operator")["spec"]["egress"]
    (peer,) = household["to"]
    assert peer["namespaceSelector"] == {"matchLabels": {WATCH_LABEL: "true"}}
    both = render("labelled", "--set", "watchNamespaces={house-a}")
    *_, household = both.one("NetworkPolicy", "butlers-operator")["spec"]["egress"]
    assert len(household["to"]) == 2
    env = {e["name"]: e.get("value") for e in operator_pod(both)["spec"]["containers"][0]["env"]}
    settings = OperatorSettings.from_env(env)
    assert (settings.namespaces, settings.watch_labelled) == (("house-a",), True)


def test_the_operator_has_a_token_for_each_receiver(render):
    spec = operator_pod(render("default"))["spec"]
    (tokens,) = [volume for volume in spec["volumes"] if volume["name"] == "tokens"]
    sources = [source["serviceAccountToken"] for source in tokens["projected"]["sources"]]
    assert {source["path"]: source["audience"] for source in sources} == {
        "switchboard": TOKEN_AUDIENCE,
        "messenger": "butlers.dev/messenger",
    }


def test_a_changed_place_replaces_the_operator_s_pod(render):
    hashes = {
        operator_pod(render(case))["metadata"]["annotations"]["butlers.dev/place-hash"]
        for case in ("default", "ha")
    }
    assert len(hashes) == 2


def test_the_operator_is_no_child_of_its_own(rendered):
    labels = rendered.one("Deployment", "butlers-operator")["metadata"]["labels"]
    assert labels["app.kubernetes.io/managed-by"] != MANAGED_BY


def test_one_of_several_operators_works_and_a_new_one_needs_no_more_room_than_an_old_one(render):
    rendered = render("ha")
    deployment = rendered.one("Deployment", "butlers-operator")["spec"]
    assert deployment["replicas"] == 2
    assert deployment["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}
    (container,) = operator_pod(rendered)["spec"]["containers"]
    lease = {entry["name"]: entry.get("value") for entry in container["env"]}["BUTLERS_LEASE"]
    role = rendered.one("Role", "butlers-operator-lease")
    assert role["metadata"]["namespace"] == "house"
    create, own = role["rules"]
    assert (create["verbs"], own["resourceNames"], own["verbs"]) == (["create"], [lease], ["get", "patch"])
    budget = rendered.one("PodDisruptionBudget", "butlers-operator")["spec"]
    assert budget["selector"]["matchLabels"] == deployment["selector"]["matchLabels"]


def test_the_operator_has_a_priority_class_of_its_own_or_the_one_that_is_named(render):
    rendered = render("default")
    (made,) = rendered.of_kind("PriorityClass")
    assert operator_pod(rendered)["spec"]["priorityClassName"] == made["metadata"]["name"]
    named = render("ha")
    assert not named.of_kind("PriorityClass")
    assert not [
        one for one in rendered.of_kind("PodDisruptionBudget") if "operator" in one["metadata"]["name"]
    ]
