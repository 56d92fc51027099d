"""A specialist that is away longer than a chat waits: the chat is told, the post waits, nothing is lost (D77)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.test_kills import WHO, ready_pods
from tests.e2e.scenarios.traffic import Traffic

BUTLER, PAUSED = "finance", "butlers.dev/paused"
GONE_S = 60.0
MEANWHILE = 40
TOLD_MOST = 30


@contextlib.contextmanager
def gone(cluster: Cluster, butler: str) -> Iterator[None]:
    """No pod of the butler, and an operator that lets that be."""
    where = ("--namespace", cluster.namespace)
    cluster.kubectl("annotate", "butler", butler, f"{PAUSED}=true", *where)
    cluster.kubectl("scale", "deployment", f"butler-{butler}", "--replicas=0", *where)
    try:
        eventually(
            lambda: not ready_pods(cluster, WHO[butler], cluster.namespace),
            timeout_s=GONE_S, what=f"{butler} is gone",
        )  # fmt: skip
        yield
    finally:
        cluster.kubectl("scale", "deployment", f"butler-{butler}", "--replicas=1", *where)
        cluster.kubectl("annotate", "butler", butler, f"{PAUSED}-", *where)
        cluster.ready(f"butler/{butler}", timeout_s=240)


def test_a_chat_is_told_of_a_specialist_that_is_away_and_a_post_waits_for_it(
    cluster: Cluster, home: Household
) -> None:
    with Traffic(cluster, home) as traffic:
        traffic.more(4)
        with traffic.away(BUTLER, at_most=TOLD_MOST), gone(cluster, BUTLER):
            traffic.more(MEANWHILE)
        traffic.more(6)
    assert traffic.check() > 0
