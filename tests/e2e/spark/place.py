"""Where the operator of the running cluster makes pods, so that a test can render what the operator would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from butler_operator.control.place import place_for
from butler_operator.settings import OperatorSettings
from butler_resources.render.cluster import Place
from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster

__all__ = ["operators_place"]


def operators_place(cluster: Cluster, folder: Path) -> Place:
    """The place of the demo household, read as the operator's own process reads it; `folder` takes a file."""
    _, where = INSTALLED
    file = folder / "place.json"
    maps = cluster.list("configmaps", namespace=where)
    [document] = (one["data"][file.name] for one in maps if file.name in (one.get("data") or {}))
    file.write_text(document, encoding="utf-8")
    containers = [
        container
        for deployment in cluster.list("deployments", namespace=where)
        for container in deployment["spec"]["template"]["spec"]["containers"]
    ]
    [env] = (env for env in map(_environment, containers) if "BUTLERS_PLACE_FILE" in env)
    given = {**env, "BUTLERS_PLACE_FILE": str(file), "BUTLERS_OPERATOR_NAMESPACE": where}
    return place_for(OperatorSettings.from_env(given), cluster.namespace)


def _environment(container: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["value"] for one in container.get("env", ()) if "value" in one}
