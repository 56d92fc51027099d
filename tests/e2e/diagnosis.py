"""What the cluster says of itself when a test fails: who is not ready and why, events, the last lines of logs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster

__all__ = ["diagnosis"]

KINDS = "butlers.butlers.dev,connectors.butlers.dev,backfilljobs.butlers.dev"
EVENTS, LINES = 25, 25
ASKED_S = 15.0


def diagnosis(cluster: Cluster) -> str:
    """A page for whoever reads the failure. Never raises: a cluster that says nothing is a finding too."""
    parts: dict[str, Callable[[Cluster], Iterator[str]]] = {
        "pods that are not ready": _pods,
        "conditions that are not as they should be": _conditions,
        f"the last {EVENTS} events": _events,
        "logs": _logs,
    }
    return "\n".join(line for title, part in parts.items() for line in (f"-- {title}", *_told(cluster, part)))


def _told(cluster: Cluster, part: Callable[[Cluster], Iterator[str]]) -> list[str]:
    try:
        return list(part(cluster)) or ["(none)"]
    except (AssertionError, subprocess.TimeoutExpired, KeyError, ValueError) as error:
        return [f"(not to be had: {error!r})"]


def _pods(cluster: Cluster) -> Iterator[str]:
    for pod in _all(cluster, "pods"):
        if not _is_well(pod):
            states = [one.get("state") for one in pod["status"].get("containerStatuses", [])]
            yield f"{_name(pod)} {pod['status'].get('phase')} {json.dumps(states)}"


def _conditions(cluster: Cluster) -> Iterator[str]:
    for found in _all(cluster, KINDS):
        conditions = {one["type"]: one for one in (found.get("status") or {}).get("conditions") or []}
        ready = conditions.get("Ready", {}).get("status")
        for one in conditions.values() if ready != "True" else ():
            yield f"{_name(found)} {one['type']}={one['status']} {one['reason']}: {one['message']}"


def _events(cluster: Cluster) -> Iterator[str]:
    found = sorted(_all(cluster, "events"), key=lambda one: str(one["metadata"]["creationTimestamp"]))
    for one in found[-EVENTS:]:
        about = one["involvedObject"]
        at, times = one["metadata"]["creationTimestamp"], one.get("count") or 1
        yield f"{at} {about.get('kind')}/{about.get('name')} {one.get('reason')} (x{times}): {one.get('message')}"


def _logs(cluster: Cluster) -> Iterator[str]:
    """Of the operator, of Switchboard, and of every container that is not ready."""
    for pod in _all(cluster, "pods"):
        namespace, labels = pod["metadata"]["namespace"], pod["metadata"].get("labels", {})
        asked = namespace == INSTALLED[1] or labels.get("butlers.dev/name") == "switchboard"
        if namespace == "kube-system" or (_is_well(pod) and not asked):
            continue
        done = cluster.run(
            "kubectl", "logs", pod["metadata"]["name"], "--namespace", namespace, "--all-containers",
            f"--tail={LINES}", timeout_s=ASKED_S,
        )  # fmt: skip
        yield f"{_name(pod)}:"
        yield from (done.stdout or done.stderr).splitlines()


def _all(cluster: Cluster, kinds: str) -> list[dict[str, Any]]:
    text = cluster.kubectl("get", kinds, "--all-namespaces", "--output", "json", timeout_s=ASKED_S)
    items: list[dict[str, Any]] = json.loads(text)["items"]
    return items


def _is_well(pod: dict[str, Any]) -> bool:
    ready = {one["type"]: one["status"] for one in pod["status"].get("conditions", [])}.get("Ready")
    return ready == "True" or pod["status"].get("phase") == "Succeeded"


def _name(found: dict[str, Any]) -> str:
    meta = found["metadata"]
    return f"{meta['namespace']}/{found.get('kind', 'Pod')}/{meta['name']}"
