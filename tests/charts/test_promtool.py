"""Alerts and dashboards as Prometheus' own tool takes and runs them: an alert fires when it has to, and not before."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.cluster_programs import found
from tests.support.helm import CHARTS

ALERTS = yaml.safe_load((CHARTS / "butlers/files/alerts.yaml").read_text("utf-8"))
NAMES = [rule["alert"] for group in ALERTS["groups"] for rule in group["rules"]]
CASES = yaml.safe_load(Path(__file__).with_name("alerts.yaml").read_text("utf-8"))
TIMEOUT_S = 60
GRAFANA = {"$__rate_interval": "5m", "$namespace": ".*"}
"""Variables of the dashboards, as Grafana would fill them in."""


@pytest.fixture(scope="session")
def promtool(tmp_path_factory):
    """Runs promtool in a folder with files of these names and contents; gives its exit code and what it said."""
    program = found("promtool")
    if program is None:
        pytest.skip(
            "alerts and dashboards are not tried: no promtool here; cluster/binaries.sh promtool builds it"
        )

    def run(*arguments, **files):
        folder = tmp_path_factory.mktemp("promtool")
        for name, content in files.items():
            (folder / f"{name}.yaml").write_text(yaml.safe_dump(content), "utf-8")
        done = subprocess.run(
            [program, *arguments], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.fixture(scope="session")
def rules(render):
    """The rules as the chart renders them for the Prometheus operator."""
    return {"groups": render("monitoring").one("PrometheusRule", "butlers")["spec"]["groups"]}


def expressions(render):
    """Every query of the dashboards, by where it stands."""
    for board in render("monitoring").of_kind("ConfigMap"):
        if "dashboard" not in board["metadata"]["name"]:
            continue
        (text,) = board["data"].values()
        for panel in json.loads(text)["panels"]:
            for target in panel["targets"]:
                yield f"{board['metadata']['name']}: {panel['title']}", target["expr"]


def filled(expression):
    for name, value in GRAFANA.items():
        expression = expression.replace(name, value)
    return expression


def test_every_alert_has_one_case_in_which_it_fires_after_a_time_in_which_it_does_not():
    assert sorted(case["name"] for case in CASES["tests"]) == sorted(NAMES)
    for case in CASES["tests"]:
        before, after = case["alert_rule_test"]
        assert before["alertname"] == after["alertname"] == case["name"]
        assert "exp_alerts" not in before
        assert after["exp_alerts"]


def test_prometheus_takes_the_alerts(promtool, rules):
    code, said = promtool("check", "rules", "--lint=all", "--lint-fatal", "rules.yaml", rules=rules)
    assert code == 0, said
    assert f"{len(NAMES)} rules found" in said


@pytest.mark.parametrize("alert", NAMES)
def test_an_alert_fires_when_it_has_to_and_not_before(promtool, rules, alert):
    cases = [case for case in CASES["tests"] if case["name"] == alert]
    tried = {**CASES, "rule_files": ["rules.yaml"], "tests": cases}
    code, said = promtool("test", "rules", "cases.yaml", rules=rules, cases=tried)
    assert code == 0, said


def test_a_case_that_is_not_so_fails(promtool, rules):
    """What the tests above rest on."""
    [case] = [case for case in CASES["tests"] if case["name"] == "ButlersCircuitOpen"]
    early = {**case, "alert_rule_test": [{**case["alert_rule_test"][1], "eval_time": "14m"}]}
    tried = {**CASES, "rule_files": ["rules.yaml"], "tests": [early]}
    code, said = promtool("test", "rules", "cases.yaml", rules=rules, cases=tried)
    assert code != 0
    assert "ButlersCircuitOpen" in said


def test_prometheus_takes_every_query_of_the_dashboards(promtool, render):
    queries = list(expressions(render))
    assert queries
    for where, expression in queries:
        assert "$" not in filled(expression), f"{where}: {expression} has a variable that GRAFANA lacks"
    group = {
        "name": "dashboards",
        "rules": [
            {"record": f"panel:{number}", "expr": filled(expression)}
            for number, (_, expression) in enumerate(queries)
        ],
    }
    code, said = promtool("check", "rules", "rules.yaml", rules={"groups": [group]})
    assert code == 0, said


def test_a_query_that_is_no_promql_is_refused(promtool):
    """What the test above rests on."""
    group = {"name": "wrong", "rules": [{"record": "panel:0", "expr": "sum by (le (up)"}]}
    code, said = promtool("check", "rules", "rules.yaml", rules={"groups": [group]})
    assert code != 0
    assert "could not parse expression" in said
