"""History by a BackfillJob: pauses when it is suspended, whoever dies; goes on, completes, and tells nobody."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.backfills import DONE_S, NAME, an_attic, history_of, until_state
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.records import rows
from tests.e2e.scenarios.test_kills import WHO, kill

MAILS = 8
SLOW, QUICK = 180, 72_000
"""Messages an hour: so slow that a batch is one mail, every twenty seconds; and so quick that nothing waits."""
WATCHED_S = 5.0
OVER = "the backfill is over here"


@pytest.fixture
def attic(cluster: Cluster, home: Household) -> Iterator[list[str]]:
    """A mailbox with mails in it, and only then a connector of its own that reads it; the mails' ids."""
    with an_attic(cluster, home, mails=MAILS) as ids:
        yield ids


def patch(cluster: Cluster, spec: str) -> None:
    where = ("--namespace", cluster.namespace, "--type", "merge", "--patch", f'{{"spec": {spec}}}')
    cluster.kubectl("patch", "backfilljob", NAME, *where)


def let_go(cluster: Cluster) -> bool:
    """Whether the connector knows that it has no job any more: within one batch (D34)."""
    where = ("--namespace", cluster.namespace, "--tail", "-1")
    return OVER in cluster.kubectl("logs", f"deployment/connector-{NAME}", *where)


def taken(cluster: Cluster, job_id: str) -> list[dict[str, Any]]:
    return rows(
        cluster,
        "SELECT external_event_id, reply_policy FROM switchboard.message_inbox"
        f" WHERE backfill_job_id = '{job_id}' ORDER BY request_id",
    )


def test_a_backfill_that_is_suspended_pauses_over_a_kill_and_completes_when_it_is_let_go_on(
    cluster: Cluster, home: Household, attic: list[str]
) -> None:
    cluster.apply(history_of(NAME, per_hour=SLOW))
    job_id = until_state(cluster, "active")["jobId"]
    eventually(lambda: taken(cluster, job_id), timeout_s=DONE_S, pause_s=2, what="the first mail")
    patch(cluster, '{"suspend": true}')
    until_state(cluster, "paused")
    # Whoever comes after this Switchboard knows of the pause.
    kill(cluster, WHO["switchboard"], cluster.namespace)
    eventually(lambda: let_go(cluster), timeout_s=DONE_S, pause_s=2, what="the connector lets go of the job")
    before = taken(cluster, job_id)
    assert not set(attic) <= {row["external_event_id"] for row in before}
    time.sleep(WATCHED_S)
    assert taken(cluster, job_id) == before
    until_state(cluster, "paused")
    patch(cluster, f'{{"suspend": false, "rateLimitPerHour": {QUICK}}}')
    cluster.kubectl(
        "wait", "--for=condition=Complete", f"backfilljob/{NAME}", "--namespace", cluster.namespace,
        f"--timeout={DONE_S:g}s", timeout_s=DONE_S + 10,
    )  # fmt: skip
    status = until_state(cluster, "completed")
    found = taken(cluster, job_id)
    assert set(attic) <= {row["external_event_id"] for row in found}
    assert len({row["external_event_id"] for row in found}) == len(found) <= status["rowsProcessed"]
    assert {row["reply_policy"] for row in found} == {"none"}
    told = [mail for mail in home.told_by_mail() if "shop@example.net" in mail["rcpt_to"]]
    assert told == []
