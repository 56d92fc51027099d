"""A butler that is deleted: its role is closed, its data named as retained, and it is there when the butler is back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.cluster import Cluster, eventually

NAME = "e2e-retired"
BUTLER: dict[str, Any] = {
    "apiVersion": "butlers.dev/v1alpha1",
    "kind": "Butler",
    "metadata": {"name": NAME},
    "spec": {"role": "specialist", "profile": "general", "triggers": ["orchids"]},
}
CLOSED_S = 240.0
"""A minute until it is meant, and the roll-out of Switchboard whose pod does it."""


def state(cluster: Cluster) -> str:
    switchboard = cluster.get("butler", "switchboard") or {}
    found = (switchboard.get("status") or {}).get("databases") or []
    return next((str(one["state"]) for one in found if one["butler"] == NAME), "")


@pytest.fixture
def gone_afterwards(cluster: Cluster) -> Iterator[None]:
    yield
    cluster.kubectl("delete", "butler", NAME, "--namespace", cluster.namespace, "--ignore-not-found")


def test_a_deleted_butler_s_data_is_retained_and_it_can_come_back(
    cluster: Cluster, gone_afterwards: None
) -> None:
    cluster.apply(BUTLER)
    cluster.ready(f"butler/{NAME}")
    eventually(lambda: state(cluster) == "InUse", what="the ledger knows it")
    cluster.kubectl("delete", "butler", NAME, "--namespace", cluster.namespace)
    eventually(lambda: state(cluster) == "Retained", timeout_s=CLOSED_S, what="its role is closed")
    cluster.ready("butler/switchboard")
    cluster.apply(BUTLER)
    cluster.ready(f"butler/{NAME}")
    eventually(lambda: state(cluster) == "InUse", what="it is in use again")
    cluster.ready("butler/switchboard")
