"""A butler that is deleted without its children and applied again: they are adopted, and it goes on serving."""

from __future__ import annotations

from functools import partial

from tests.e2e.cluster import Cluster, eventually

KEPT = ("apiVersion", "kind", "spec")
BACK_S = 120.0


def test_an_orphaned_butler_is_adopted_and_goes_on_serving(cluster: Cluster) -> None:
    before = cluster.get("butler", "finance")
    assert before is not None
    deployment = uid(cluster, "deployment", "butler-finance")
    cluster.kubectl("delete", "butler/finance", "--cascade=orphan", "--namespace", cluster.namespace,
                    "--timeout=60s", timeout_s=70)  # fmt: skip
    assert uid(cluster, "deployment", "butler-finance") == deployment

    cluster.apply({name: before[name] for name in KEPT} | {"metadata": {"name": "finance"}})
    for type_ in ("Deployed", "Ready", "Eligible"):
        eventually(partial(holds, cluster, type_), timeout_s=BACK_S, what=f"finance {type_}")
    owner = uid(cluster, "butler", "finance")
    found = cluster.get("deployment", "butler-finance")
    assert found is not None
    assert [one["uid"] for one in found["metadata"]["ownerReferences"]] == [owner]
    assert found["metadata"]["uid"] == deployment
    assert ready_pods(cluster), "one pod after another: the new Butler is another to its database"


def holds(cluster: Cluster, type_: str) -> bool:
    return (cluster.condition("butler", "finance", type_) or {}).get("status") == "True"


def uid(cluster: Cluster, kind: str, name: str) -> str:
    found = cluster.get(kind, name)
    assert found is not None, f"{kind} {name}"
    return str(found["metadata"]["uid"])


def ready_pods(cluster: Cluster) -> list[str]:
    found = cluster.list("pods", selector="butlers.dev/kind=Butler,butlers.dev/name=finance")
    return [
        pod["metadata"]["name"]
        for pod in found
        for one in pod["status"].get("conditions", [])
        if (one["type"], one["status"]) == ("Ready", "True")
    ]
