"""People who act on the dashboard (D80): who they are, who may be them, and the one way that this opens."""

from __future__ import annotations

import pytest

from butler_resources.render.cluster.flows import Party
from butler_resources.render.cluster.names import switchboard_url
from butler_resources.render.cluster.networkpolicy import HOUSEHOLD_LABELS
from tests.charts.test_operator import place_of

NAME = "butlers-dashboard"
ADA = "butlers-person-ada"
NOBODY = ("--set", "dashboard.operators=null")


def dashboard(rendered):
    return rendered.one("Deployment", NAME)["spec"]


def env_of(rendered):
    (process,) = dashboard(rendered)["template"]["spec"]["containers"]
    return {entry["name"]: entry["value"] for entry in process["env"]}


def of_people(rendered):
    return {one["kind"] for one in rendered.objects if one["metadata"]["name"].startswith("butlers-person")}


def test_a_person_is_an_account_of_which_one_user_alone_may_get_a_token(render):
    rendered = render("dashboard")
    assert of_people(rendered) == {"ServiceAccount", "Role", "RoleBinding"}
    assert rendered.one("ServiceAccount", ADA)["automountServiceAccountToken"] is False
    rule, act = rendered.one("Role", ADA)["rules"]
    assert (act["resources"], act["resourceNames"], act["verbs"]) == (["operators"], ["ada"], ["act"])
    assert (rule["resources"], rule["resourceNames"], rule["verbs"]) == (
        ["serviceaccounts/token"],
        [ADA],
        ["create"],
    )
    bound = rendered.one("RoleBinding", ADA)
    assert bound["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": ADA}
    assert [(one["kind"], one["name"]) for one in bound["subjects"]] == [("User", "ada@example.com")]


@pytest.mark.parametrize(
    "more", [("--set", "rbac.create=false"), ("--set", "dashboard.operators[0].name=ada")]
)
def test_the_right_to_be_somebody_can_be_given_by_other_means(render, more):
    case = "default" if "operators" in more[1] else "dashboard"
    rendered = render(case, "--set", "dashboard.enabled=true", *more)
    assert of_people(rendered) == {"ServiceAccount"}


def test_every_household_has_the_people_and_its_own_switchboard(render):
    rendered = render(
        "households", "--set", "dashboard.enabled=true", "--set", "dashboard.operators[0].name=ada"
    )
    for namespace in ("house-a", "house-b"):
        rendered.one("ServiceAccount", ADA, namespace)
        (process,) = rendered.one("Deployment", NAME, namespace)["spec"]["template"]["spec"]["containers"]
        url = {entry["name"]: entry["value"] for entry in process["env"]}["BUTLERS_SWITCHBOARD_MCP_URL"]
        assert url == switchboard_url("switchboard", namespace)


def test_the_dashboard_and_switchboard_let_each_other_through(render, tmp_path):
    rendered = render("dashboard")
    acting, *_ = rendered.one("NetworkPolicy", NAME)["spec"]["egress"]
    (peer,) = acting["to"]
    assert acting["ports"] == [{"port": "http", "protocol": "TCP"}]
    chosen = [
        party
        for party, labels in HOUSEHOLD_LABELS.items()
        if peer["podSelector"]["matchLabels"].items() <= labels.items()
    ]
    assert chosen == [Party.SWITCHBOARD]
    place = place_of(rendered, tmp_path)
    assert tuple(place.dashboard_operators) == (ADA,)
    labels = dashboard(rendered)["template"]["metadata"]["labels"]
    assert place.dashboard_pods.items() <= labels.items()
    assert place.dashboard_pods["app.kubernetes.io/name"] == NAME


@pytest.mark.parametrize(
    ("case", "more"),
    [("dashboard", NOBODY), ("default", ("--set", "dashboard.operators[0].name=ada"))],
    ids=["nobody acts", "no dashboard"],
)
def test_without_people_or_pages_nothing_is_opened(render, tmp_path, case, more):
    rendered = render(case, *more)
    place = place_of(rendered, tmp_path)
    assert (dict(place.dashboard_pods), tuple(place.dashboard_operators)) == ({}, ())
    assert of_people(rendered) == set()
    if case == "dashboard":
        assert "BUTLERS_SWITCHBOARD_MCP_URL" not in env_of(rendered)
        assert len(rendered.one("NetworkPolicy", NAME)["spec"]["egress"]) == 2


def test_it_runs_in_as_many_pods_as_it_is_told(render):
    spec = dashboard(render("dashboard"))
    assert spec["replicas"] == 2
    assert spec["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    assert dashboard(render("default", "--set", "dashboard.enabled=true"))["replicas"] == 1


@pytest.mark.parametrize("name", ["Ada", "ada.b", "-ada", "a" * 41])
def test_a_name_that_no_account_can_have_is_refused(helm, name):
    assert "'/dashboard/operators/0/name'" in helm.refusal(
        "butlers", "--set", f"dashboard.operators[0].name={name}"
    )
