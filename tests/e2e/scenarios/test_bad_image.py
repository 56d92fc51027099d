"""A tag that does not exist, while messages flow: one butler tries it, everybody serves, and the way back is short."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tests.e2e.charts.release import CHART, INSTALLED
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.traffic import Traffic

NOPE = "nope"
TRIED_S = 180.0
BACK_S = 60.0
"""From the end of `helm rollback` until nothing is left of the bad tag."""
MESSAGES = 6
OURS = "butlers.dev/kind in (Butler,Connector)"


def test_a_tag_that_does_not_exist_interrupts_nothing_and_is_taken_back_within_a_minute(
    cluster: Cluster, home: Household
) -> None:
    before = generations(cluster)
    with Traffic(cluster, home) as traffic:
        traffic.more(MESSAGES)
        with bad_tag(cluster):
            eventually(
                lambda: stopped(cluster), timeout_s=TRIED_S, pause_s=2, what="Switchboard says why it stops"
            )
            traffic.more(MESSAGES)
            assert moved(cluster) == {"butler-switchboard"}
            assert len(unready(cluster)) <= 2, "what cannot be pulled asks for little"
            for kind in ("butler", "connector"):
                for one in cluster.list(kind):
                    assert told(one, "Ready") == ("True", "Ready"), one["metadata"]["name"]
                    assert told(one, "Reconciling")[0] == "True", one["metadata"]["name"]
            assert told(cluster.get("connector", "telegram"), "Progressing") == ("True", "WaitingForCanary")
        eventually(lambda: settled(cluster), timeout_s=BACK_S, pause_s=1, what="everybody is as before")
        after = generations(cluster)
        assert {name for name in after if after[name] != before[name]} == {"butler-switchboard"}
        traffic.more(MESSAGES)
    assert traffic.check() == 0


@contextlib.contextmanager
def bad_tag(cluster: Cluster) -> Iterator[None]:
    """The release with an image that nobody has, and its way back, whatever happened in between."""
    name, where = INSTALLED
    wait = ("--namespace", where, "--wait", "--timeout", "180s")
    arguments = (str(CHART), "--reset-then-reuse-values", "--set-string", f"image.tag={NOPE}")
    done = cluster.run("helm", "upgrade", name, *arguments, *wait, timeout_s=200)
    assert done.returncode == 0, done.stderr
    try:
        yield
    finally:
        done = cluster.run("helm", "rollback", name, *wait, timeout_s=200)
        assert done.returncode == 0, done.stderr


def stopped(cluster: Cluster) -> bool:
    """Switchboard has told of the image, and the last of the others has been told to wait."""
    others = [one for kind in ("butler", "connector") for one in cluster.list(kind)]
    said = {one["metadata"]["name"]: told(one, "Progressing") for one in others}
    return said.pop("switchboard") == ("False", "ImagePullFailed") and set(said.values()) == {
        ("True", "WaitingForCanary")
    }


def settled(cluster: Cluster) -> bool:
    everyone = [one for kind in ("butler", "connector") for one in cluster.list(kind)]
    rolled_out = all(told(one, "Progressing") == ("True", "RolledOut") for one in everyone)
    return rolled_out and not moved(cluster) and not unready(cluster)


def moved(cluster: Cluster) -> set[str]:
    """The Deployments that were given the bad tag."""
    return {
        one["metadata"]["name"]
        for one in cluster.list("deployments", selector=OURS)
        for container in one["spec"]["template"]["spec"]["containers"]
        if container["image"].endswith(f":{NOPE}")
    }


def generations(cluster: Cluster) -> dict[str, int]:
    found = cluster.list("deployments", selector=OURS)
    return {one["metadata"]["name"]: one["metadata"]["generation"] for one in found}


def unready(cluster: Cluster) -> set[str]:
    return {
        pod["metadata"]["name"]
        for pod in cluster.list("pods", selector=OURS)
        for one in pod["status"].get("conditions", [])
        if one["type"] == "Ready" and one["status"] != "True" and "deletionTimestamp" not in pod["metadata"]
    }


def told(one: dict[str, Any] | None, type_: str) -> tuple[str, str]:
    """Status and reason of a condition."""
    conditions = ((one or {}).get("status") or {}).get("conditions") or []
    found = next((entry for entry in conditions if entry["type"] == type_), {"status": "", "reason": ""})
    return found["status"], found["reason"]
