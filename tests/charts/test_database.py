"""PostgreSQL: the embedded one's Secret reads like CloudNativePG's, and an external one needs nothing of ours."""

from __future__ import annotations

import base64

import pytest

from butler_provision.urls import parse_admin_url

CNPG_KEYS = {"username", "password", "host", "port", "dbname", "uri"}


@pytest.fixture
def secret(render):
    return render("default").one("Secret", "butlers-postgresql")


def test_the_secret_has_cloudnativepg_s_keys_and_one_password(secret):
    data = {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}
    assert data.keys() == CNPG_KEYS
    assert secret["type"] == "kubernetes.io/basic-auth"
    assert len(data["password"]) == 40
    url = "postgresql://{username}:{password}@{host}:{port}/{dbname}".format(**data)
    assert data["uri"] == url
    assert parse_admin_url(url).password == data["password"]
    assert data["host"] == "butlers-postgresql.house.svc"


def test_the_secret_outlives_the_release_like_the_volume(secret, render):
    assert secret["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    spec = render("default").one("StatefulSet", "butlers-postgresql")["spec"]
    assert "persistentVolumeClaimRetentionPolicy" not in spec


def test_the_server_is_told_its_password_by_a_file_only(render):
    spec = render("default").one("StatefulSet", "butlers-postgresql")["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    env = {entry["name"]: entry for entry in container["env"]}
    assert "POSTGRES_PASSWORD" not in env
    folder, _, file = env["POSTGRES_PASSWORD_FILE"]["value"].rpartition("/")
    assert folder in [mount["mountPath"] for mount in container["volumeMounts"]]
    (volume,) = [volume for volume in spec["volumes"] if volume["name"] == "password"]
    assert volume["secret"]["items"] == [{"key": "password", "path": file}]
    assert env["PGDATA"]["value"].startswith("/var/lib/postgresql/data/")


def test_settings_reach_the_server_as_arguments(render):
    more = ("--set", "postgresql.embedded.settings.work_mem=8MB")
    spec = render("default", *more).one("StatefulSet", "butlers-postgresql")["spec"]["template"]["spec"]
    assert spec["containers"][0]["args"] == [
        "postgres", "-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "work_mem=8MB",
    ]  # fmt: skip


def test_a_secret_of_one_s_own_is_taken_instead(render):
    rendered = render("default", "--set", "postgresql.embedded.existingSecret=mine")
    assert not rendered.of_kind("Secret")
    pod = rendered.one("StatefulSet", "butlers-postgresql")["spec"]["template"]["spec"]
    assert {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume} == {"mine"}


def test_nothing_of_a_database_is_made_for_an_external_one(render):
    rendered = render("external")
    assert not rendered.of_kind("StatefulSet", "Secret")
    assert not [one for one in rendered.objects if one["metadata"]["name"] == "butlers-postgresql"]


def test_helm_test_asks_the_database_that_the_household_uses(render):
    pod = render("external").one("Pod", "butlers-test")
    assert pod["metadata"]["annotations"]["helm.sh/hook"] == "test"
    (volume,) = [volume for volume in pod["spec"]["volumes"] if volume["name"] == "admin"]
    assert volume["secret"]["secretName"] == "household-app"
    assert volume["secret"]["items"] == [{"key": "uri", "path": "url"}]
    compile(pod["spec"]["containers"][0]["args"][0], "test.py", "exec")
