"""A release's whole life on a real cluster: install, test, upgrade, roll back, uninstall, install again."""

from __future__ import annotations

from typing import Any

from tests.e2e.charts.release import RELEASE, Release, until
from tests.e2e.cluster import Cluster, eventually

BUTLER = {
    "apiVersion": "butlers.dev/v1alpha1",
    "kind": "Butler",
    "metadata": {"name": "switchboard"},
    "spec": {"role": "switchboard", "suspend": True},
}


def test_a_release_is_installed_changed_rolled_back_and_removed_without_losing_anything(
    cluster: Cluster, release: Release
) -> None:
    notes = release.install()
    assert "not for production" in notes
    release.helm("test", RELEASE)
    secret = release.secret()
    release.sql("CREATE TABLE public.kept AS SELECT 42 AS answer")
    cluster.apply(BUTLER, namespace=release.namespace)
    uid = until(lambda: child(cluster, release), what="a Deployment of the Butler")["metadata"]["uid"]

    release.install(
        "operator.logLevel=debug", "household.pod.resources.requests.memory=160Mi", verb="upgrade"
    )
    assert release.operator_env()["BUTLERS_LOG_LEVEL"] == "debug"
    assert release.secret() == secret
    eventually(
        lambda: memory(child(cluster, release)) == "160Mi", what="the household's pods with other resources"
    )

    release.helm("rollback", RELEASE, "1", "--wait", "--timeout", "180s")
    assert release.operator_env()["BUTLERS_LOG_LEVEL"] == "info"
    eventually(lambda: memory(child(cluster, release)) == "128Mi", what="the household's pods as before")
    assert release.secret() == secret
    release.helm("test", RELEASE)

    release.helm("uninstall", RELEASE, "--wait", "--timeout", "120s")
    assert cluster.get("deployment", "butlers-operator", namespace=release.namespace) is None
    assert cluster.get("butler", "switchboard", namespace=release.namespace) is not None
    assert (child(cluster, release) or {})["metadata"]["uid"] == uid
    assert release.secret() == secret

    release.install()
    assert release.secret() == secret
    assert release.sql("SELECT answer FROM public.kept") == "42"
    cluster.kubectl(
        "delete", "butler", "switchboard", "--namespace", release.namespace, "--timeout=90s", timeout_s=100
    )
    eventually(lambda: child(cluster, release) is None, what="no Deployment of a Butler that is gone")


def child(cluster: Cluster, release: Release) -> dict[str, Any] | None:
    return cluster.get("deployment", "butler-switchboard", namespace=release.namespace)


def memory(deployment: dict[str, Any] | None) -> str | None:
    if deployment is None:
        return None
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    found: str = container["resources"]["requests"]["memory"]
    return found
