"""An image that nobody has, and one that exits at once, while messages flow: one butler tries it, everybody serves, and
the way back is short, also on a node without room."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e.charts.release import CHART, INSTALLED
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.fullness import fill, is_full
from tests.e2e.scenarios.traffic import Traffic

TRIED_S = 180.0
BACK_S = 60.0
"""From the command `helm rollback` until nothing is left of the bad image."""
MESSAGES = 6
OURS = "butlers.dev/kind in (Butler,Connector)"


@dataclass(frozen=True)
class Bad:
    """An image with which no pod of the household serves, and the reason that Switchboard gives."""

    repository: str
    tag: str
    reason: str

    @property
    def name(self) -> str:
        return f"localhost/{self.repository}:{self.tag}"


IMAGES = {
    "missing": Bad("butlers", "nope", "ImagePullFailed"),
    # It has Python, and none of the programs of a butler.
    "exiting": Bad("butlers-providers", "dev", "CrashLoop"),
}


@pytest.mark.parametrize("bad", IMAGES.values(), ids=IMAGES)
def test_a_bad_image_interrupts_nothing_and_is_taken_back_within_a_minute_on_a_full_node(
    cluster: Cluster, home: Household, namespace: str, bad: Bad
) -> None:
    before = generations(cluster)
    with Traffic(cluster, home) as traffic:
        traffic.more(MESSAGES)
        with bad_image(cluster, bad):
            eventually(
                lambda: stopped(cluster, bad),
                timeout_s=TRIED_S, pause_s=2, what="Switchboard says why it stops",
            )  # fmt: skip
            fill(cluster, namespace)
            traffic.more(MESSAGES)
            assert moved(cluster, bad) == {"butler-switchboard"}
            assert len(unready(cluster)) <= 2, "what never starts asks for little"
            for kind in ("butler", "connector"):
                for one in cluster.list(kind):
                    assert told(one, "Ready") == ("True", "Ready"), one["metadata"]["name"]
                    assert told(one, "Reconciling")[0] == "True", one["metadata"]["name"]
            assert told(cluster.get("connector", "telegram"), "Progressing") == ("True", "WaitingForCanary")
            began = time.monotonic()
        left_s = BACK_S - (time.monotonic() - began)
        eventually(lambda: settled(cluster, bad), timeout_s=left_s, pause_s=1, what="everybody is as before")
        assert is_full(cluster, namespace), "nobody made room for the way back"
        after = generations(cluster)
        assert {name for name in after if after[name] != before[name]} == {"butler-switchboard"}
        traffic.more(MESSAGES)
    assert traffic.check() == 0


@contextlib.contextmanager
def bad_image(cluster: Cluster, bad: Bad) -> Iterator[None]:
    """The release with this image, and its way back, whatever happened in between."""
    name, where = INSTALLED
    wait = ("--namespace", where, "--wait", "--timeout", "180s")
    image = ("--set", f"image.repository={bad.repository}", "--set-string", f"image.tag={bad.tag}")
    arguments = (str(CHART), "--reset-then-reuse-values", *image)
    done = cluster.run("helm", "upgrade", name, *arguments, *wait, timeout_s=200)
    assert done.returncode == 0, done.stderr
    try:
        yield
    finally:
        done = cluster.run("helm", "rollback", name, *wait, timeout_s=200)
        assert done.returncode == 0, done.stderr


def stopped(cluster: Cluster, bad: Bad) -> bool:
    """Switchboard has told of the image, and the last of the others has been told to wait."""
    others = [one for kind in ("butler", "connector") for one in cluster.list(kind)]
    said = {one["metadata"]["name"]: told(one, "Progressing") for one in others}
    return said.pop("switchboard") == ("False", bad.reason) and set(said.values()) == {
        ("True", "WaitingForCanary")
    }


def settled(cluster: Cluster, bad: Bad) -> bool:
    everyone = [one for kind in ("butler", "connector") for one in cluster.list(kind)]
    rolled_out = all(told(one, "Progressing") == ("True", "RolledOut") for one in everyone)
    return rolled_out and not moved(cluster, bad) and not unready(cluster)


def moved(cluster: Cluster, bad: Bad) -> set[str]:
    """The Deployments that were given the bad image."""
    return {
        one["metadata"]["name"]
        for one in cluster.list("deployments", selector=OURS)
        for container in one["spec"]["template"]["spec"]["containers"]
        if container["image"] == bad.name
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
