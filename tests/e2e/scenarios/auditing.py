"""The API server's audit log: who wrote what, when. The administrator and Kubernetes' own parts are not in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from tests.e2e.cluster import Cluster

__all__ = ["entries", "now", "operator_lists", "writes"]

WRITING = frozenset({"create", "update", "patch", "delete", "deletecollection"})
OPERATOR = "system:serviceaccount:butlers-system:butlers-operator"


def now() -> datetime:
    return datetime.now(UTC)


def entries(cluster: Cluster, *, since: datetime) -> Iterator[dict[str, Any]]:
    """Every answered request since then, oldest first."""
    with cluster.audit_log.open(encoding="utf-8") as lines:
        for line in lines:
            # The last line may still be under way.
            entry = json.loads(line) if line.endswith("\n") else {}
            if entry.get("stage") == "ResponseComplete" and _moment(entry) >= since:
                yield entry


def writes(cluster: Cluster, *, since: datetime, name: str | None = None) -> list[str]:
    """What service accounts wrote in the household's namespace, in words; `name`: to objects of that name alone."""
    return [
        f"{entry['verb']} {target.get('resource')}/{target.get('name')}"
        f"{'/' + target['subresource'] if 'subresource' in target else ''} by {entry['user']['username']}"
        for entry in entries(cluster, since=since)
        if entry["verb"] in WRITING
        and (target := entry.get("objectRef") or {}).get("namespace") == cluster.namespace
        and (name is None or target.get("name") == name)
    ]


def operator_lists(cluster: Cluster, *, since: datetime) -> int:
    """How often the operator listed the household's Butlers: once a resync."""
    return sum(
        entry["verb"] == "list"
        and entry["user"]["username"] == OPERATOR
        and (entry.get("objectRef") or {}).get("resource") == "butlers"
        and (entry.get("objectRef") or {}).get("namespace") == cluster.namespace
        for entry in entries(cluster, since=since)
    )


def _moment(entry: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(str(entry["requestReceivedTimestamp"]).replace("Z", "+00:00"))
