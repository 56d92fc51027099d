"""A Secret that asks for it is heard of: its change replaces the pods that read it long before the next resync."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import pytest

from tests.e2e.cluster import Cluster, eventually

CONNECTOR = "webhook"
INPUTS = "butlers.dev/inputs-hash"
SOON_S = 60.0
"""The resync comes every five minutes."""


def secret_of(cluster: Cluster) -> tuple[str, str]:
    """Name and key of the Secret with the connector's token."""
    found = cluster.get("connector", CONNECTOR)
    assert found is not None
    ref = found["spec"]["webhook"]["tokenSecretRef"]
    return ref["name"], ref["key"]


def inputs(cluster: Cluster) -> str:
    made = cluster.get("deployment", f"connector-{CONNECTOR}")
    assert made is not None
    return str(made["spec"]["template"]["metadata"]["annotations"][INPUTS])


@pytest.fixture
def labelled(cluster: Cluster) -> Iterator[str]:
    """The Secret with the label; afterwards it is what it was."""
    name, _ = secret_of(cluster)
    before = cluster.get("secret", name)
    assert before is not None
    pods_read = inputs(cluster)
    cluster.kubectl("label", "secret", name, "--namespace", cluster.namespace, "butlers.dev/reload=true")
    yield name
    restored = json.dumps({"data": before["data"], "metadata": {"labels": {"butlers.dev/reload": None}}})
    cluster.kubectl(
        "patch", "secret", name, "--namespace", cluster.namespace, "--type=merge", "--patch", restored
    )
    eventually(
        lambda: inputs(cluster) == pods_read, timeout_s=SOON_S, what="the connector reads the former token"
    )
    cluster.kubectl(
        "rollout", "status", f"deployment/connector-{CONNECTOR}", "--namespace", cluster.namespace,
        "--timeout=120s", timeout_s=130,
    )  # fmt: skip


def test_a_labelled_secret_s_change_rolls_its_connector_within_a_minute(
    cluster: Cluster, labelled: str
) -> None:
    cluster.ready(f"connector/{CONNECTOR}")
    before = inputs(cluster)
    value = base64.b64encode(b"another-token-of-the-webhook").decode()
    change = json.dumps({"data": {secret_of(cluster)[1]: value}})
    cluster.kubectl(
        "patch", "secret", labelled, "--namespace", cluster.namespace, "--type=merge", "--patch", change
    )
    eventually(lambda: inputs(cluster) != before, timeout_s=SOON_S, what="the connector's pods are replaced")
