"""Two Switchboards: one of them dies under load, and both are asked at once for what may be done once."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.callers import token
from tests.e2e.scenarios.records import execute, rows
from tests.e2e.scenarios.traffic import Traffic

SWITCHBOARDS = "butlers.dev/kind=Butler,butlers.dev/name=switchboard"
PORT_NAME = "http"
WISHES = 3
ENDED_S = 180.0


@pytest.fixture(scope="module")
def two(cluster: Cluster, often: datetime, doors: Household) -> Iterator[Household]:
    """The household with a second Switchboard."""
    cluster.ready("butler,connector", timeout_s=240)
    scale(cluster, 2)
    yield doors
    scale(cluster, 1)


def scale(cluster: Cluster, replicas: int) -> None:
    cluster.kubectl(
        "scale", "butler", "switchboard", f"--replicas={replicas}", "--namespace", cluster.namespace
    )

    def done() -> bool:
        found = cluster.get("butler", "switchboard")
        assert found is not None
        return bool(
            found["status"]["observedGeneration"] == found["metadata"]["generation"]
            and found["status"].get("readyReplicas") == replicas
        )

    eventually(done, timeout_s=240, pause_s=2, what=f"{replicas} Switchboards ready")
    cluster.ready("butler/switchboard")


def pods(cluster: Cluster) -> list[str]:
    found = cluster.list("pods", selector=SWITCHBOARDS)
    return [pod["metadata"]["name"] for pod in found if "deletionTimestamp" not in pod["metadata"]]


def test_of_two_switchboards_one_dies_and_nothing_is_lost_or_doubled(
    cluster: Cluster, home: Household, two: Household
) -> None:
    before = pods(cluster)
    assert len(before) == 2
    with Traffic(cluster, two) as traffic:
        traffic.more(8)
        cluster.kubectl(
            "delete", "pod", before[0], "--grace-period=0", "--force", "--namespace", cluster.namespace
        )
        traffic.more(8)
        eventually(
            lambda: len(set(pods(cluster)) - {before[0]}) == 2,
            timeout_s=120,
            pause_s=2,
            what="another Switchboard in its place",
        )
        traffic.more(4)
    traffic.check()


@contextlib.contextmanager
def finance_keeps_nothing(cluster: Cluster) -> Iterator[None]:
    """Finance takes messages and cannot write down what they say."""
    execute(cluster, "ALTER TABLE finance.records RENAME TO records_elsewhere")
    try:
        yield
    finally:
        execute(cluster, "ALTER TABLE IF EXISTS finance.records_elsewhere RENAME TO records")


def failed(cluster: Cluster, home: Household) -> dict[str, Any]:
    """The dead letter of a message that finance could not keep."""
    with finance_keeps_nothing(cluster):
        request_id = home.submit("Paid 40.50 EUR for the electricity bill")
        query = (
            f"SELECT dead_letter_id, targets FROM switchboard.dead_letter WHERE request_id = '{request_id}'"
        )
        (letter,) = eventually(
            lambda: rows(cluster, query), timeout_s=ENDED_S, pause_s=2, what=f"a dead letter of {request_id}"
        )
    assert letter["targets"] == ["finance"]
    return {"request_id": request_id, **letter}


@contextlib.contextmanager
def both(cluster: Cluster) -> Iterator[list[str]]:
    """Each Switchboard's own address."""
    found = cluster.list("pods", selector=SWITCHBOARDS)
    (port,) = {
        port["containerPort"]
        for pod in found
        for port in pod["spec"]["containers"][0]["ports"]
        if port["name"] == PORT_NAME
    }
    with contextlib.ExitStack() as stack:
        yield [
            f"http://127.0.0.1:{stack.enter_context(cluster.port_forward(f'pod/{name}', port))[port]}"
            for name in pods(cluster)
        ]


def wish(cluster: Cluster, letter_id: str, number: int) -> str:
    """A ButlerOperation, once it has ended: its phase."""
    name = f"replay-{number}-{secrets.token_hex(3)}"
    spec = {
        "action": "replay", "target": {"kind": "DeadLetter", "id": letter_id},
        "reason": "finance is mended", "requestedBy": "kubernetes-admin",
    }  # fmt: skip
    head = {"apiVersion": "butlers.dev/v1alpha1", "kind": "ButlerOperation", "metadata": {"name": name}}
    cluster.apply(head | {"spec": spec})

    def ended() -> str | None:
        status = (cluster.get("butleroperation", name) or {}).get("status") or {}
        return str(status["phase"]) if status.get("finishedAt") else None

    return str(eventually(ended, timeout_s=ENDED_S, pause_s=1, what=f"{name} has ended"))


def ask(url: str, bearer: str, letter_id: str) -> str:
    """The same of one Switchboard by its own address: `Succeeded` or `Failed`."""
    answer = httpx.post(
        f"{url}/ops/v1/dead-letters/{letter_id}/replay",
        json={"reason": "finance is mended"}, headers={"Authorization": f"Bearer {bearer}"},
        timeout=60, trust_env=False,
    )  # fmt: skip
    assert answer.status_code in (200, 409), answer.text
    return "Succeeded" if answer.status_code == 200 else "Failed"


def test_a_dead_letter_that_both_are_asked_at_once_to_replay_is_done_again_once(
    cluster: Cluster, home: Household, two: Household
) -> None:
    letter = failed(cluster, home)
    request_id, letter_id = letter["request_id"], letter["dead_letter_id"]
    bearer = token(cluster, "butlers-operator", namespace=INSTALLED[1])
    with both(cluster) as urls, ThreadPoolExecutor(3 * WISHES) as pool:
        assert len(urls) == 2
        asked = [pool.submit(ask, url, bearer, letter_id) for url in urls for _ in range(WISHES)]
        asked += [pool.submit(wish, cluster, letter_id, number) for number in range(WISHES)]
        outcomes = sorted(one.result() for one in asked)
    assert outcomes == ["Failed"] * (len(asked) - 1) + ["Succeeded"]
    view = home.answer_to(request_id, timeout_s=ENDED_S)
    assert view["reply"]
    again = rows(
        cluster,
        f"SELECT target FROM switchboard.subroute WHERE request_id = '{request_id}' AND replay_of IS NOT NULL",
    )
    assert again == [{"target": "finance"}]
    assert len(rows(cluster, f"SELECT seq FROM finance.records WHERE request_id = '{request_id}'")) == 1
