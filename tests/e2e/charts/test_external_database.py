"""An external database by a Secret as CloudNativePG makes it: its owner may create no roles until somebody lets it."""

from __future__ import annotations

import base64
import json
import secrets
from typing import Any

from tests.e2e.charts.release import Release, until
from tests.e2e.cluster import Cluster

HOST = "house-rw"
LABELS = {"cnpg.io/cluster": "house"}
BUTLER = {
    "apiVersion": "butlers.dev/v1alpha1",
    "kind": "Butler",
    "metadata": {"name": "switchboard"},
    "spec": {"role": "switchboard"},
}


def server(image: str) -> list[dict[str, Any]]:
    """A server with a superuser of its own, and the Service that CloudNativePG would make."""
    hardened = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    container = {
        "name": "postgresql", "image": image, "args": ["postgres"], "securityContext": hardened,
        "env": [
            {"name": "POSTGRES_USER", "value": "superuser"}, {"name": "POSTGRES_DB", "value": "app"},
            {"name": "POSTGRES_PASSWORD", "value": "only-here"},
        ],
        "readinessProbe": {"exec": {"command": ["pg_isready", "-q", "-h", "127.0.0.1"]}, "periodSeconds": 2},
        "volumeMounts": [
            {"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "tmp", "mountPath": "/tmp"},
        ],
    }  # fmt: skip
    security = {
        "runAsNonRoot": True,
        "runAsUser": 999,
        "fsGroup": 999,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    spec = {
        "containers": [container], "securityContext": security, "automountServiceAccountToken": False,
        "volumes": [{"name": "data", "emptyDir": {}}, {"name": "tmp", "emptyDir": {}}],
    }  # fmt: skip
    return [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "house-1", "labels": LABELS}, "spec": spec},
        {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": HOST},
            "spec": {"selector": LABELS, "ports": [{"port": 5432}]},
        },
    ]  # fmt: skip


def app_secret(namespace: str, password: str) -> dict[str, Any]:
    """`house-app`, as CloudNativePG writes it."""
    host = f"{HOST}.{namespace}"
    data = {
        "username": "app", "user": "app", "password": password, "host": HOST, "port": "5432", "dbname": "app",
        "uri": f"postgresql://app:{password}@{host}:5432/app",
        "jdbc-uri": f"jdbc:postgresql://{host}:5432/app?password={password}&user=app",
        "pgpass": f"{HOST}:5432:app:app:{password}\n",
    }  # fmt: skip
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    return {
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/basic-auth",
        "metadata": {"name": "house-app", "labels": LABELS}, "data": encoded,
    }  # fmt: skip


def sql(cluster: Cluster, namespace: str, statement: str) -> None:
    environment = ("env", "PGPASSWORD=only-here")
    psql = (
        "psql",
        "-h",
        "127.0.0.1",
        "-U",
        "superuser",
        "-d",
        "app",
        "-v",
        "ON_ERROR_STOP=1",
        "-qc",
        statement,
    )
    cluster.kubectl("exec", "--namespace", namespace, "house-1", "--", *environment, *psql)


def outcome(cluster: Cluster, release: Release, *, after: str = "") -> dict[str, Any] | None:
    """What the init step of a pod other than `after` left; None while there is none."""
    for pod in cluster.list("pods", selector="app.kubernetes.io/name=butler", namespace=release.namespace):
        for status in pod["status"].get("initContainerStatuses", []):
            ended = status["state"].get("terminated") or status.get("lastState", {}).get("terminated")
            if ended and ended["exitCode"] == 0 and pod["metadata"]["name"] != after:
                return {"pod": pod["metadata"]["name"], **json.loads(ended["message"])}
    return None


def test_a_cloudnativepg_secret_works_as_it_is_and_roles_come_when_they_are_allowed(
    cluster: Cluster, release: Release
) -> None:
    found = cluster.get("statefulset", "butlers-postgresql")
    assert found is not None
    image = found["spec"]["template"]["spec"]["containers"][0]["image"]
    password = secrets.token_hex(16)
    cluster.apply(*server(image), app_secret(release.namespace, password), namespace=release.namespace)
    cluster.kubectl(
        "wait",
        "--for=condition=Ready",
        "pod/house-1",
        "--namespace",
        release.namespace,
        "--timeout=90s",
        timeout_s=100,
    )
    sql(
        cluster,
        release.namespace,
        f"CREATE ROLE app LOGIN PASSWORD '{password}'; ALTER DATABASE app OWNER TO app",
    )
    release.install(
        "postgresql.mode=external",
        "postgresql.external.existingSecret=house-app",
        r"postgresql.external.podLabels.cnpg\.io/cluster=house",
    )
    cluster.apply(BUTLER, namespace=release.namespace)
    first = until(lambda: outcome(cluster, release), timeout_s=120, what="a prepared database")
    assert first["role_isolation"] is False
    assert first["applied"]
    condition = until(
        lambda: cluster.condition("butler", "switchboard", "RoleIsolation", namespace=release.namespace),
        what="the condition RoleIsolation",
    )
    assert condition["status"] == "False"

    sql(cluster, release.namespace, "ALTER ROLE app CREATEROLE")
    cluster.kubectl("rollout", "restart", "deployment/butler-switchboard", "--namespace", release.namespace)
    second = until(
        lambda: outcome(cluster, release, after=first["pod"]),
        timeout_s=120,
        what="a pod that was prepared again",
    )
    assert second["role_isolation"] is True
    assert second["applied"] == []
    cluster.kubectl(
        "delete", "butler", "switchboard", "--namespace", release.namespace, "--timeout=90s", timeout_s=100
    )
