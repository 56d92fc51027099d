"""A specialist that is away longer than a chat waits: the chat is told, the post waits, nothing is lost (D77)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.records import rows
from tests.e2e.scenarios.test_kills import WHO
from tests.e2e.scenarios.traffic import Traffic

BUTLER, PAUSED = "finance", "butlers.dev/paused"
GONE_S = 60.0
TOLD_S = 150.0
TOLD_MOST = 40


@contextlib.contextmanager
def gone(cluster: Cluster, butler: str) -> Iterator[None]:
    """No pod of the butler, and an operator that lets that be."""
    where = ("--namespace", cluster.namespace)
    cluster.kubectl("annotate", "butler", butler, f"{PAUSED}=true", *where)
    cluster.kubectl("scale", "deployment", f"butler-{butler}", "--replicas=0", *where)
    try:
        # One that ends is not ready any more, and still works off what it has.
        cluster.kubectl(
            "wait", "--for=delete", "pod", f"--selector={WHO[butler]}", f"--timeout={GONE_S:.0f}s", *where,
            timeout_s=GONE_S + 10,
        )  # fmt: skip
        yield
    finally:
        cluster.kubectl("scale", "deployment", f"butler-{butler}", "--replicas=1", *where)
        cluster.kubectl("annotate", "butler", butler, f"{PAUSED}-", *where)
        cluster.ready(f"butler/{butler}", timeout_s=240)


def told(cluster: Cluster, traffic: Traffic) -> bool:
    """Whether a message of the chat has ended for want of its butler."""
    keys = ",".join(f"'{one.dedupe_key}'" for one in traffic.told)
    query = f"""
        SELECT request_id FROM switchboard.message_inbox
        WHERE dedupe_key IN ({keys}) AND error_class = 'target_unavailable'
    """
    return bool(rows(cluster, query))


def test_a_chat_is_told_of_a_specialist_that_is_away_and_a_post_waits_for_it(
    cluster: Cluster, home: Household
) -> None:
    with Traffic(cluster, home) as traffic:
        traffic.more(4)
        with traffic.away(BUTLER, at_most=TOLD_MOST), gone(cluster, BUTLER):
            eventually(lambda: told(cluster, traffic), timeout_s=TOLD_S, pause_s=3, what="the chat is told")
        traffic.more(6)
    assert traffic.check() > 0
