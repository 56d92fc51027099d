"""From a file to Switchboard's keeping: never two readers on the way."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.reconcile.handover import one_after_the_other

RECREATE: dict[str, Any] = {"type": "Recreate"}
ROLLING: dict[str, Any] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


def deployment(
    strategy: dict[str, Any], *, replicas: int, file: bool, updated: int | None = None
) -> dict[str, Any]:
    env = [{"name": "CONNECTOR_CURSOR_PATH" if file else "CONNECTOR_CHECKPOINT", "value": "x"}]
    there = replicas if updated is None else updated
    return {
        "kind": "Deployment",
        "metadata": {"name": "connector-mail", "generation": 1},
        "spec": {
            "replicas": replicas,
            "strategy": strategy,
            "template": {"spec": {"containers": [{"name": "connector", "env": env}]}},
        },
        "status": {"observedGeneration": 1, "replicas": replicas, "updatedReplicas": there},
    }


WANTED = deployment(ROLLING, replicas=2, file=False)


def test_the_reader_of_a_file_ends_before_anybody_else_begins() -> None:
    first = one_after_the_other(WANTED, [deployment(RECREATE, replicas=1, file=True)])
    assert (first["spec"]["strategy"], first["spec"]["replicas"]) == (RECREATE, 1)
    assert first["spec"]["template"] == WANTED["spec"]["template"]
    under_way = deployment(RECREATE, replicas=1, file=False, updated=0)
    assert one_after_the_other(WANTED, [under_way])["spec"]["strategy"] == RECREATE
    assert one_after_the_other(WANTED, [deployment(RECREATE, replicas=1, file=False)]) == WANTED


@pytest.mark.parametrize(
    "live",
    [
        [],
        [deployment(ROLLING, replicas=1, file=False)],
        [deployment(ROLLING, replicas=1, file=False, updated=0)],
    ],
)
def test_who_shares_already_is_replaced_one_by_one(live: list[dict[str, Any]]) -> None:
    assert one_after_the_other(WANTED, live) == WANTED


def test_back_to_a_file_all_end_first() -> None:
    wanted = deployment(RECREATE, replicas=1, file=True)
    assert one_after_the_other(wanted, [deployment(ROLLING, replicas=2, file=False)]) == wanted


def test_what_is_suspended_stays_so_on_the_way() -> None:
    wanted = deployment(ROLLING, replicas=0, file=False)
    found = one_after_the_other(wanted, [deployment(RECREATE, replicas=1, file=True)])
    assert found["spec"]["replicas"] == 0
