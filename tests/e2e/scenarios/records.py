"""What the household's own database says of messages, asked as its administrator."""

from __future__ import annotations

import json
from typing import Any

from tests.e2e.charts.release import PSQL
from tests.e2e.cluster import Cluster

__all__ = ["execute", "rows"]


def rows(cluster: Cluster, query: str) -> list[dict[str, Any]]:
    """The rows of a SELECT."""
    found: list[dict[str, Any]] = json.loads(
        execute(cluster, f"SELECT coalesce(json_agg(found), '[]') FROM ({query}) found")
    )
    return found


def execute(cluster: Cluster, statement: str) -> str:
    """Any statement; what psql printed."""
    return cluster.kubectl(
        "exec", "--namespace", cluster.namespace, "butlers-postgresql-0", "--", "sh", "-c", PSQL, statement
    )
