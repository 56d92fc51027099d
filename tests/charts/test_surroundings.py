"""Who may do what, monitoring behind switches, notes, and what is left after the release is gone."""

from __future__ import annotations

import json
import re

import pytest

from butler_connectors.base.metrics import INSTRUMENTS as CONNECTOR_INSTRUMENTS
from butler_kit.telemetry import instruments
from butler_operator.metrics import INSTRUMENTS as OPERATOR_INSTRUMENTS
from butler_resources.kinds.names import LABEL_PART_OF, PART_OF
from tests.support.helm import CHARTS

BUTLERS = CHARTS / "butlers"
RUNBOOKS = CHARTS.parent / "docs" / "runbooks"


def test_nobody_asks_for_an_operation_in_another_s_name(render):
    rendered = render("households")
    policy = rendered.one("ValidatingAdmissionPolicy", "butlers.house.requested-by")["spec"]
    assert policy["failurePolicy"] == "Fail"
    (rule,) = policy["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (["butleroperations"], ["CREATE", "UPDATE"])
    (validation,) = policy["validations"]
    assert validation["expression"] == "object.spec.requestedBy == request.userInfo.username"
    (rule,) = policy["matchConstraints"]["resourceRules"]
    assert rule["apiVersions"] == ["*"], "no version of the API is a way round it"
    binding = rendered.one("ValidatingAdmissionPolicyBinding", "butlers.house.requested-by")["spec"]
    assert binding["validationActions"] == ["Deny"]
    (only,) = binding["matchResources"]["namespaceSelector"]["matchExpressions"]
    assert only["values"] == ["house-a", "house-b"]


def test_the_token_that_reads_messages_takes_the_right_to_read_them(render):
    """What an API server makes of it: tests/flow/plane/test_reading.py."""
    rendered = render("households")
    policy = rendered.one("ValidatingAdmissionPolicy", "butlers.house.tokens")["spec"]
    assert policy["failurePolicy"] == "Fail"
    (rule,) = policy["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (["serviceaccounts/token"], ["CREATE"])
    binding = rendered.one("ValidatingAdmissionPolicyBinding", "butlers.house.tokens")["spec"]
    assert binding["validationActions"] == ["Deny"]
    (only,) = binding["matchResources"]["namespaceSelector"]["matchExpressions"]
    assert only["values"] == ["house-a", "house-b"]


def verbs(rendered, role, resource):
    rules = rendered.one("ClusterRole", f"butlers:house:{role}")["rules"]
    return {verb for rule in rules if resource in rule["resources"] for verb in rule["verbs"]}


def test_viewers_see_editors_ask_and_admins_delete_the_record(render):
    rendered = render("default")
    assert verbs(rendered, "view", "butlers") == {"get", "list", "watch"}
    assert verbs(rendered, "edit", "butleroperations") == {"create"}
    assert "patch" in verbs(rendered, "edit", "butlers")
    for scaled in ("butlers/scale", "connectors/scale"):
        assert verbs(rendered, "view", scaled) == {"get", "list", "watch"}
        assert verbs(rendered, "edit", scaled) == {"update", "patch"}
    assert verbs(rendered, "admin", "butleroperations") == {"delete", "deletecollection"}
    for role in ("view", "edit", "admin"):
        labels = rendered.one("ClusterRole", f"butlers:house:{role}")["metadata"]["labels"]
        assert labels[f"rbac.authorization.k8s.io/aggregate-to-{role}"] == "true"
        assert not verbs(rendered, role, "serviceaccounts/token")


def test_reading_messages_is_given_to_nobody_by_itself(render):
    rendered = render("default")
    reader = rendered.one("ClusterRole", "butlers:house:reader")
    assert not any("aggregate" in label for label in reader["metadata"]["labels"])
    assert verbs(rendered, "reader", "serviceaccounts/token") == {"create"}
    (rule,) = [rule for rule in reader["rules"] if "serviceaccounts/token" in rule["resources"]]
    assert rule["resourceNames"] == ["butlers-reader"]
    assert verbs(rendered, "reader", "butlers/messages") == {"get"}
    assert not any(verbs(rendered, role, "butlers/messages") for role in ("view", "edit", "admin"))
    assert not [one for one in rendered.of_kind("RoleBinding") if one["metadata"]["name"] == "butlers-reader"]


def test_aggregated_roles_can_be_left_out(render):
    names = {one["metadata"]["name"] for one in render("restricted").of_kind("ClusterRole")}
    assert names == {"butlers:house:operator"}


def test_common_labels_replace_none_of_the_chart_s_own(render):
    labels = render("restricted").one("Deployment", "butlers-operator")["metadata"]["labels"]
    assert labels["team"] == "home"
    assert labels["app.kubernetes.io/name"] == "butlers-operator"


def test_one_registry_holds_every_image(render):
    images = [container["image"] for _, pod in render("restricted").pods() for container in pod["containers"]]
    assert images
    assert all(image.startswith("registry.example:5000/") for image in images)
    for _, pod in render("restricted").pods():
        assert pod["imagePullSecrets"] == [{"name": "pull"}]


def test_further_objects_are_templates(render):
    assert render("restricted").one("ResourceQuota", "butlers-quota")


@pytest.mark.parametrize("kind", ["serviceMonitor", "podMonitor", "prometheusRule"])
def test_monitoring_that_the_cluster_cannot_have_is_refused_with_what_to_do(helm, kind):
    told = helm.refusal("butlers", "--set", f"metrics.namespace=monitoring,metrics.{kind}.enabled=true")
    assert f"metrics.{kind}.enabled is on" in told
    assert "install the Prometheus operator first" in told


@pytest.mark.parametrize("kind", ["serviceMonitor", "podMonitor"])
def test_monitoring_that_network_policies_would_refuse_is_refused(helm, kind):
    told = helm.refusal("butlers", "--set", f"metrics.{kind}.enabled=true")
    assert "nobody may read /metrics: say in metrics.namespace where Prometheus runs" in told


@pytest.mark.parametrize(
    ("endpoint", "port"),
    [
        ("http://collector.monitoring:4318", 4318),
        ("https://otlp.example.com/tenant", 443),
        ("http://collector.monitoring/", 80),
    ],
)
def test_the_operator_and_the_dashboard_reach_the_collector_that_they_export_to(render, endpoint, port):
    rendered = render("dashboard", "--set", f"telemetry.otlpEndpoint={endpoint}")
    for name in ("butlers-operator", "butlers-dashboard"):
        (container,) = rendered.one("Deployment", name)["spec"]["template"]["spec"]["containers"]
        assert {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": endpoint} in container["env"]
        opened = rendered.one("NetworkPolicy", name)["spec"]["egress"]
        assert {"ports": [{"port": port, "protocol": "TCP"}]} in opened


def test_nothing_of_monitoring_comes_unasked(render):
    kinds = {one["kind"] for one in render("default").objects}
    assert not kinds & {"ServiceMonitor", "PodMonitor", "PrometheusRule"}
    assert not [
        one for one in render("default").of_kind("ConfigMap") if "dashboard" in one["metadata"]["name"]
    ]


def test_monitors_find_ports_that_exist(render):
    rendered = render("monitoring")
    (endpoint,) = rendered.one("ServiceMonitor", "butlers-operator")["spec"]["endpoints"]
    service = rendered.one("Service", "butlers-operator")
    assert endpoint["port"] in [port["name"] for port in service["spec"]["ports"]]
    (pods,) = rendered.one("PodMonitor", "butlers-household")["spec"]["podMetricsEndpoints"]
    assert pods["port"] == "http"
    policy = rendered.one("NetworkPolicy", "butlers-operator")["spec"]["ingress"]
    assert {"port": "metrics", "protocol": "TCP"} in [port for rule in policy for port in rule["ports"]]


def test_the_pod_monitor_selects_butlers_and_the_dashboard(render):
    rendered = render("monitoring", "--set", "dashboard.enabled=true")
    (wanted,) = rendered.one("PodMonitor", "butlers-household")["spec"]["selector"].values()
    dashboard = rendered.one("Deployment", "butlers-dashboard")["spec"]["template"]
    assert wanted.items() <= dashboard["metadata"]["labels"].items()
    assert wanted == {LABEL_PART_OF: PART_OF}, "what every object of a butler has"


TARGET = {"namespace", "pod", "container", "endpoint", "instance", "job", "service"}
"""What Prometheus says of whom it asked; a label of ours by such a name it calls exported_…"""


def declared():
    """The labels of every series of ours by its name, as Prometheus shows them."""
    all_of = [*OPERATOR_INSTRUMENTS, *CONNECTOR_INSTRUMENTS]
    for value in vars(instruments).values():
        if isinstance(value, tuple) and value and isinstance(value[0], instruments.Instrument):
            all_of += value
    found: dict[str, set[str]] = {}
    for one in all_of:
        name = one.name.replace(".", "_")
        labels = {f"exported_{label}" if label in TARGET else label for label in one.labels}
        for series in {
            "counter": (f"{name}_total",),
            "gauge": (name,),
            "histogram": (f"{name}_bucket", f"{name}_count", f"{name}_sum"),
        }[one.kind]:
            found[series] = found.get(series, set()) | labels | ({"le"} if one.kind == "histogram" else set())
    return found


def named_in(expression):
    return set(
        re.findall(r"\b(?:butlers|connector)_[a-z_]+", re.sub(r"\{[^}]*\}|by \([^)]*\)", "", expression))
    )


def labels_in(expression):
    told = re.findall(r"[{,]\s*([a-z_]+)\s*(?:=|!)", expression)
    grouped = re.findall(r"by \(([^)]*)\)", expression)
    return {*told, *(label.strip() for group in grouped for label in group.split(","))}


def test_alerts_ask_for_series_and_labels_that_exist_and_name_runbooks_that_exist(render):
    known = declared()
    pods = render("monitoring").one("PodMonitor", "butlers-household")["spec"]["podTargetLabels"]
    targets = TARGET | {re.sub(r"[^a-z]", "_", label) for label in pods}
    groups = render("monitoring").one("PrometheusRule", "butlers")["spec"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert rules
    for rule in rules:
        assert named_in(rule["expr"]) <= set(known), rule["alert"]
        own = {label for series in named_in(rule["expr"]) for label in known[series]}
        of_the_cluster = {"cronjob"} if "kube_cronjob_" in rule["expr"] else set()
        assert labels_in(rule["expr"]) <= targets | own | of_the_cluster, rule["alert"]
        assert not ("exported_job" in own and "job" in labels_in(rule["expr"])), rule["alert"]
        base, _, page = rule["annotations"]["runbook_url"].rpartition("/")
        assert base == "https://example.com/runbooks"
        assert (RUNBOOKS / page).exists()
        assert rule["labels"]["severity"] in ("warning", "critical")


def test_alerts_ask_that_exactly_one_operator_works_and_the_runbook_says_what_to_do(render):
    groups = render("monitoring").one("PrometheusRule", "butlers")["spec"]["groups"]
    rules = [rule for group in groups for rule in group["rules"] if "operator_leader" in rule["expr"]]
    working = "sum by (namespace) (butlers_operator_leader)"
    assert {rule["expr"].removeprefix(working).strip() for rule in rules} == {"== 0", "> 1"}
    for rule in rules:
        page = RUNBOOKS / rule["annotations"]["runbook_url"].rpartition("/")[2]
        assert f"`{rule['alert']}`" in page.read_text("utf-8")


def test_routing_that_fails_without_one_success_alerts(render):
    """A series of successes may not be there at all after a restart, and a quotient with it would be empty."""
    groups = render("monitoring").one("PrometheusRule", "butlers")["spec"]["groups"]
    [rule] = [
        rule for group in groups for rule in group["rules"] if rule["alert"] == "ButlersRouteSuccessLow"
    ]
    results = "butlers_switchboard_subroute_result_total"
    failed, every = (f"sum by (namespace) (rate({results}{of}[30m]))" for of in ('{outcome!="ok"}', ""))
    assert rule["expr"] == f"{failed} / {every} > 0.05"


@pytest.mark.parametrize(("seconds", "bound"), [(300, 1800), (3600, 10800)])
def test_an_operator_stands_still_when_it_missed_several_of_its_own_rounds(render, seconds, bound):
    rendered = render("monitoring", "--set", f"operator.resyncSeconds={seconds}")
    groups = rendered.one("PrometheusRule", "butlers")["spec"]["groups"]
    [rule] = [
        rule for group in groups for rule in group["rules"] if rule["alert"] == "ButlersOperatorStandsStill"
    ]
    assert rule["expr"] == f"butlers_operator_resync_age_seconds > {bound}"


@pytest.mark.spec("SWB-37.1")
def test_a_drift_of_routing_alerts_by_dimension_and_measure_and_has_its_runbook(render):
    groups = render("monitoring").one("PrometheusRule", "butlers")["spec"]["groups"]
    [rule] = [rule for group in groups for rule in group["rules"] if rule["alert"] == "ButlersRoutingDrift"]
    assert rule["expr"] == "max by (namespace, dimension, measure) (butlers_switchboard_routing_drift) > 0"
    page = RUNBOOKS / rule["annotations"]["runbook_url"].rpartition("/")[2]
    assert page.read_text("utf-8").startswith("# Routing has drifted\n\n`ButlersRoutingDrift`")


@pytest.mark.spec("SWB-36.1")
def test_a_candidate_that_was_rolled_back_alerts_and_has_its_runbook(render):
    groups = render("monitoring").one("PrometheusRule", "butlers")["spec"]["groups"]
    [rule] = [
        rule for group in groups for rule in group["rules"] if rule["alert"] == "ButlersRolloutRolledBack"
    ]
    assert rule["expr"] == 'max by (namespace) (butlers_switchboard_rollout{state="rolled_back"}) > 0'
    page = RUNBOOKS / rule["annotations"]["runbook_url"].rpartition("/")[2]
    assert page.read_text("utf-8").startswith("# A candidate was rolled back\n\n`ButlersRolloutRolledBack`")


def test_dashboards_ask_for_series_that_exist(render):
    known = set(declared())
    boards = [
        one for one in render("monitoring").of_kind("ConfigMap") if "dashboard" in one["metadata"]["name"]
    ]
    assert {one["metadata"]["name"] for one in boards} == {
        "butlers-dashboard-household",
        "butlers-dashboard-operator",
    }
    for one in boards:
        assert one["metadata"]["labels"]["grafana_dashboard"] == "1"
        assert one["metadata"]["annotations"] == {"grafana_folder": "Butlers"}
        (text,) = one["data"].values()
        panels = json.loads(text)["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels)
        for target in (target for panel in panels for target in panel["targets"]):
            assert named_in(target["expr"])
            assert named_in(target["expr"]) <= known, target["expr"]


def notes(helm, *arguments):
    done = helm.run(
        "install",
        "butlers",
        str(BUTLERS),
        "--namespace",
        "house",
        "--dry-run=client",
        "--hide-secret",
        *arguments,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.partition("\nNOTES:\n")[2]


def test_the_notes_say_what_comes_next_and_warn_of_the_embedded_database(helm):
    text = notes(helm)
    assert "kubectl --namespace house wait --for=condition=Ready butler --all" in text
    assert "helm --namespace house test butlers" in text
    assert "not for production" in text
    assert "Uninstalling keeps the custom resource definitions" in text


def test_the_notes_do_not_warn_of_a_database_of_one_s_own(helm):
    text = notes(helm, "--values", str(BUTLERS / "ci/external-values.yaml"), "--set", "crds.enabled=false")
    assert "Secret household-app, key uri" in text
    assert "WARNING" not in text
    assert "Uninstalling keeps" not in text


def test_the_notes_name_the_images_that_no_cluster_can_pull(helm):
    text = notes(helm)
    assert "no registry has localhost/butlers-operator:dev, localhost/butlers:dev" in text
    assert "\n  make push REGISTRY=HOST/PREFIX\n" in text
    assert (
        "helm upgrade butlers charts/butlers --namespace house --reset-then-reuse-values -f build/push/values.yaml"
        in text
    )
    pulled = notes(helm, "--set", "global.imageRegistry=registry.example:5000")
    assert "no registry has" not in pulled


def test_uninstalling_keeps_the_definitions_and_so_every_resource(render):
    definitions = render("default").of_kind("CustomResourceDefinition")
    assert len(definitions) == 4
    for one in definitions:
        assert one["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


def test_the_definitions_can_come_from_elsewhere(render):
    assert not render("default", "--set", "crds.enabled=false").of_kind("CustomResourceDefinition")
