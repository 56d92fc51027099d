"""A release of the chart as a test handles it: helm with its words, the Secret, the operator, the embedded server."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.cluster import Cluster, eventually

CHART = Path(__file__).parents[3] / "charts" / "butlers"
RELEASE = "trial"
INSTALLED = ("butlers", "butlers-system")
PSQL = (
    'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") '
    'exec psql -h 127.0.0.1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -Atqc "$0"'
)
WAIT = ("--wait", "--timeout", "180s")


@dataclass(frozen=True)
class Release:
    """One release; what helm refuses is an AssertionError with its words."""

    cluster: Cluster
    namespace: str
    images: Path

    def helm(self, *arguments: str) -> str:
        done = self.cluster.run("helm", *arguments, "--namespace", self.namespace, timeout_s=240)
        assert done.returncode == 0, f"helm {arguments[0]}: {done.stderr.strip()}"
        # An API server's warnings: Pod Security, deprecated kinds.
        assert "would violate" not in done.stderr
        assert "level=WARN" not in done.stderr
        return done.stdout

    def install(self, *settings: str, verb: str = "install") -> str:
        chosen = [word for setting in settings for word in ("--set", setting)]
        values = ("--values", str(self.images), "--set", "crds.enabled=false", *chosen)
        return self.helm(verb, RELEASE, str(CHART), *values, *WAIT)

    def secret(self) -> dict[str, str]:
        found = self.cluster.get("secret", "butlers-postgresql", namespace=self.namespace)
        assert found is not None
        return {key: base64.b64decode(value).decode() for key, value in found["data"].items()}

    def operator_env(self) -> dict[str, str]:
        found = self.cluster.get("deployment", "butlers-operator", namespace=self.namespace)
        assert found is not None
        assert found["status"]["readyReplicas"] == 1
        (container,) = found["spec"]["template"]["spec"]["containers"]
        return {entry["name"]: entry.get("value", "") for entry in container["env"]}

    def sql(self, statement: str) -> str:
        """Asks the embedded server as its administrator."""
        there = ("exec", "--namespace", self.namespace, "butlers-postgresql-0", "--", "sh", "-c")
        return self.cluster.kubectl(*there, PSQL, statement).strip()


def until(look: Callable[[], dict[str, Any] | None], *, what: str, timeout_s: float = 60.0) -> dict[str, Any]:
    """The first document that `look` finds."""
    found = eventually(look, timeout_s=timeout_s, what=what)
    assert found is not None
    return found


def images_of(values: dict[str, Any]) -> dict[str, Any]:
    """The images of `values`, and nothing else of it."""
    return {
        "image": values.get("image", {}),
        "operator": {"image": values.get("operator", {}).get("image", {})},
        "postgresql": {
            "embedded": {"image": values.get("postgresql", {}).get("embedded", {}).get("image", {})}
        },
    }
