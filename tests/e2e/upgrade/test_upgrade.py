"""An older household is upgraded by Helm, rolled back and upgraded again while messages flow; by `make e2e-upgrade`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.charts.release import CHART, INSTALLED
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.doors import doors_of
from tests.e2e.scenarios.traffic import Traffic

OURS = "butlers.dev/kind"
ROLLED_S = 420.0
SECRETS = ("telegram-bot", "mail-account", "webhook", "contacts")
USABLE = "butlers.dev/usable-by=household"
HELM = ("--wait", "--timeout", "300s")
MESSAGES = 12
"""So many messages are handed over between one step and the next, besides those that flow during the steps."""


@pytest.fixture
def older(cluster: Cluster) -> Iterator[Household]:
    """The household of the older commit, whole, by the node's address."""
    cluster.ready("butler,connector", timeout_s=300)
    with doors_of(cluster) as found:
        yield found


def test_an_upgrade_a_rollback_and_an_upgrade_under_load_lose_double_and_refuse_nothing(
    cluster: Cluster, older: Household
) -> None:
    former = images(cluster)
    newer = {f"localhost/butlers:{tag('butlers')}"}
    assert not former & newer, "both commits make the same image"
    share_secrets(cluster)
    with Traffic(cluster, older) as traffic:
        traffic.more(MESSAGES)
        upgrade(cluster)
        settled(cluster, newer)
        traffic.more(MESSAGES)
        helm(cluster, "rollback")
        settled(cluster, former)
        traffic.more(MESSAGES)
        upgrade(cluster)
        settled(cluster, newer)
        traffic.more(MESSAGES)
    traffic.check()


def share_secrets(cluster: Cluster) -> None:
    """What the notes on upgrading say to do first: an older household's Secrets are not labelled yet."""
    cluster.kubectl("label", "--namespace", cluster.namespace, "--overwrite", "secret", *SECRETS, USABLE)


def upgrade(cluster: Cluster) -> None:
    """This checkout's chart, with the images made of it; the household's manifests stay as they are."""
    tags = {
        "image.tag": tag("butlers"),
        "operator.image.tag": tag("butlers-operator"),
        "postgresql.embedded.image.tag": tag("butlers-postgresql"),
    }
    settings = [word for name, value in tags.items() for word in ("--set-string", f"{name}={value}")]
    helm(cluster, "upgrade", str(CHART), "--reset-then-reuse-values", *settings)


def helm(cluster: Cluster, verb: str, *arguments: str) -> None:
    name, where = INSTALLED
    done = cluster.run("helm", verb, name, *arguments, "--namespace", where, *HELM, timeout_s=330)
    assert done.returncode == 0, done.stderr


def tag(image: str) -> str:
    """The content tag of an image that was built of this checkout."""
    return Path(os.environ["BUTLERS_E2E_IMAGES"], f"{image}.tag").read_text("utf-8").strip()


def images(cluster: Cluster) -> set[str]:
    """The images of the household's own Deployments."""
    found = cluster.list("deployments", selector=OURS)
    return {c["image"] for one in found for c in one["spec"]["template"]["spec"]["containers"]}


def settled(cluster: Cluster, wanted: set[str]) -> None:
    """Until every Deployment has rolled to `wanted` and everyone is ready."""

    def rolled() -> bool:
        found = cluster.list("deployments", selector=OURS)
        return images(cluster) <= wanted and all(
            one["status"].get("observedGeneration") == one["metadata"]["generation"]
            and one["status"].get("updatedReplicas") == one["spec"]["replicas"]
            and one["status"].get("readyReplicas") == one["status"].get("replicas") == one["spec"]["replicas"]
            for one in found
        )

    eventually(rolled, timeout_s=ROLLED_S, pause_s=3, what=f"every pod on {sorted(wanted)}")
    cluster.ready("butler,connector", timeout_s=240)
