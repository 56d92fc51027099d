"""The dashboard in the chart: there when it is asked for, reading views only, reached by nobody it was not told of."""

from __future__ import annotations

NAME = "butlers-dashboard"


def deployment(render, *more):
    return render("dashboard", *more).one("Deployment", NAME)["spec"]["template"]["spec"]


def test_it_is_there_only_when_it_is_asked_for(render):
    assert NAME not in {one["metadata"]["name"] for one in render("default").objects}
    made = {one["kind"] for one in render("dashboard").objects if one["metadata"]["name"] == NAME}
    assert made == {"Deployment", "Service", "ServiceAccount", "NetworkPolicy"}


def test_every_household_has_its_own(render):
    rendered = render("households", "--set", "dashboard.enabled=true")
    made = [one for one in rendered.of_kind("Deployment") if one["metadata"]["name"] == NAME]
    assert {one["metadata"]["namespace"] for one in made} == {"house-a", "house-b"}


def test_only_the_init_step_sees_the_administrator_and_nobody_has_a_token(render):
    pod = deployment(render)
    (init,), (process,) = pod["initContainers"], pod["containers"]
    assert "--dashboard" in init["command"]
    assert {mount["name"] for mount in init["volumeMounts"]} == {"database-admin", "database", "tmp"}
    assert {mount["name"] for mount in process["volumeMounts"]} == {"trust", "database", "tmp"}
    assert pod["automountServiceAccountToken"] is False
    assert not any("projected" in volume for volume in pod["volumes"])


def test_it_trusts_whom_the_household_trusts(render):
    (process,) = deployment(render)["containers"]
    env = {entry["name"]: entry["value"] for entry in process["env"]}
    for name, file in (("JWKS", "jwks"), ("SUBJECTS", "subjects"), ("REVOKED", "revoked")):
        assert env[f"BUTLERS_{name}_FILE"] == f"/etc/butlers/trust/{file}.json"
    assert "butlers-dashboard.house.svc" in env["BUTLERS_NAMES"].split(",")
    assert env["BUTLERS_TIMEZONE"] == "Europe/Berlin"
    assert env["BUTLERS_SECURE_COOKIES"] == "false"


def test_it_reaches_names_and_the_database_and_only_the_named_peers_reach_it(render):
    policy = render("dashboard").one("NetworkPolicy", NAME)["spec"]
    _, names, database = policy["egress"]
    assert {entry["port"] for entry in names["ports"]} == {53, 5353}
    assert database["ports"] == [{"port": 5432, "protocol": "TCP"}]
    (peer,) = database["to"]
    assert peer["podSelector"]["matchLabels"]["app.kubernetes.io/name"] == "butlers-postgresql"
    (taken,) = policy["ingress"]
    assert taken["from"][0]["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "ingress"}
    closed = render("default", "--set", "dashboard.enabled=true").one("NetworkPolicy", NAME)["spec"]
    assert "ingress" not in closed
    assert len(closed["egress"]) == 2
    assert "Ingress" in closed["policyTypes"]


def test_the_database_takes_the_dashboard_and_statistics_on_spark(render):
    (rule,) = render("dashboard").one("NetworkPolicy", "butlers-postgresql")["spec"]["ingress"]
    taken = [peer["podSelector"]["matchLabels"]["app.kubernetes.io/name"] for peer in rule["from"]]
    assert {"butler", "rollups", NAME} <= set(taken)


def test_values_reach_the_pods_on_spark(render):
    place = render("dashboard").one("ConfigMap", "butlers-operator-place")["data"]["place.json"]
    assert '"executor_account": "spark-operator-spark"' in place
    assert '"executors": 2' in place


def test_it_trusts_the_households_own_authorities_for_the_database(render):
    pod = deployment(render, "--set", "caBundle.secret=household-ca")
    (init,), (process,) = pod["initContainers"], pod["containers"]
    assert {"name": "BUTLERS_CA_FILE", "value": "/etc/butlers/authorities/ca.crt"} in init["env"]
    assert {"name": "BUTLERS_CA_FILE", "value": "/etc/butlers/authorities/ca.crt"} in process["env"]
    assert all(
        "authorities" in {mount["name"] for mount in container["volumeMounts"]}
        for container in (init, process)
    )
    (volume,) = [one for one in pod["volumes"] if one["name"] == "authorities"]
    assert volume["secret"]["items"] == [{"key": "ca.crt", "path": "ca.crt"}]
    rendered = render("dashboard", "--set", "caBundle.configMap=company-ca")
    test = rendered.one("Pod", "butlers-test")["spec"]
    assert "authorities" in {one["name"] for one in test["volumes"]}
    assert "BUTLERS_CA_FILE" in {entry["name"] for entry in test["containers"][0]["env"]}
