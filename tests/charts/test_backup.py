"""Dumps of the embedded database: two CronJobs, one volume that outlives the release, a way to the database only."""

from __future__ import annotations

import pytest

from tests.support.helm import CHARTS

SCRIPTS = CHARTS / "butlers" / "files"
LABELS = {"app.kubernetes.io/name": "butlers-postgresql-dumps", "app.kubernetes.io/instance": "butlers"}


def job(rendered, name):
    return rendered.one("CronJob", f"butlers-postgresql-{name}")["spec"]


def pod(rendered, name):
    return job(rendered, name)["jobTemplate"]["spec"]["template"]


@pytest.mark.parametrize("case", ["default", "external"])
def test_nothing_of_it_comes_unasked_or_for_a_database_of_one_s_own(render, case):
    on = () if case == "default" else ("--set", "postgresql.embedded.backup.enabled=true")
    assert not render(case, *on).of_kind("CronJob", "PersistentVolumeClaim")


def test_the_backup_follows_its_schedule_and_one_runs_at_a_time(render):
    spec = job(render("backup"), "backup")
    assert (spec["schedule"], spec["concurrencyPolicy"], "suspend" in spec) == (
        "0 */6 * * *",
        "Forbid",
        False,
    )
    assert spec["jobTemplate"]["spec"]["activeDeadlineSeconds"] == 3600


def test_a_restore_runs_only_when_it_is_asked_for_and_once(render):
    spec = job(render("backup"), "restore")
    assert spec["suspend"] is True
    assert spec["jobTemplate"]["spec"]["backoffLimit"] == 0
    assert pod(render("backup"), "restore")["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("task", ["backup", "restore"])
def test_the_pod_runs_the_script_that_the_tests_ran_and_gives_it_all_it_reads(render, task):
    (container,) = pod(render("backup"), task)["spec"]["containers"]
    text = (SCRIPTS / f"{task}.sh").read_text()
    assert container["command"] == ["sh", "-c"]
    assert [line.rstrip() for line in container["args"][0].strip().splitlines()] == text.strip().splitlines()
    given = {entry["name"]: entry for entry in container["env"]}
    wanted = {"FOLDER", "PASSWORD_FILE", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE"}
    assert given.keys() - {"PGCONNECT_TIMEOUT", "KEEP"} == wanted
    assert ("KEEP" in given) is (task == "backup")
    assert "PGPASSWORD" not in given
    paths = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    assert given["FOLDER"]["value"] in paths
    assert given["PASSWORD_FILE"]["value"].rpartition("/")[0] in paths
    assert paths["/dumps"].get("readOnly", False) is (task == "restore")


def test_the_dumps_outlive_the_release_on_a_volume_of_their_own_or_one_that_is_named(render):
    claim = render("backup").one("PersistentVolumeClaim", "butlers-postgresql-dumps")
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert claim["spec"]["storageClassName"] == "slow"
    named = render("backup", "--set", "postgresql.embedded.backup.storage.existingClaim=mine")
    assert not named.of_kind("PersistentVolumeClaim")
    (volume,) = [one for one in pod(named, "backup")["spec"]["volumes"] if one["name"] == "dumps"]
    assert volume["persistentVolumeClaim"] == {"claimName": "mine"}


def test_its_pods_reach_names_and_the_database_and_nobody_reaches_them(render):
    rendered = render("backup")
    for task in ("backup", "restore"):
        assert pod(rendered, task)["metadata"]["labels"].items() >= LABELS.items()
    policy = rendered.one("NetworkPolicy", "butlers-postgresql-dumps")["spec"]
    assert policy["podSelector"] == {"matchLabels": LABELS}
    assert (policy["policyTypes"], "ingress" in policy) == (["Ingress", "Egress"], False)
    names, database = policy["egress"]
    assert {one["port"] for one in names["ports"]} == {53, 5353}
    (to,) = database["to"]
    server = rendered.one("StatefulSet", "butlers-postgresql")["spec"]["template"]["metadata"]["labels"]
    assert to["podSelector"]["matchLabels"].items() <= server.items()
    (rule,) = rendered.one("NetworkPolicy", "butlers-postgresql")["spec"]["ingress"]
    assert {"podSelector": {"matchLabels": LABELS}} in rule["from"]


def test_a_service_of_the_database_leads_to_no_pod_that_dumps(render):
    rendered = render("backup")
    selector = rendered.one("Service", "butlers-postgresql")["spec"]["selector"]
    assert not selector.items() <= pod(rendered, "backup")["metadata"]["labels"].items()


def test_an_alert_names_a_backup_that_is_older_than_two_periods(render):
    groups = render("monitoring").one("PrometheusRule", "butlers")["spec"]["groups"]
    (rule,) = [rule for group in groups for rule in group["rules"] if rule["alert"] == "ButlersBackupOld"]
    named = rendered_name(render)
    assert f'cronjob="{named}"' in rule["expr"]
    assert rule["annotations"]["runbook_url"].endswith("/database.md")


def rendered_name(render):
    return render("backup").one("CronJob", "butlers-postgresql-backup")["metadata"]["name"]
