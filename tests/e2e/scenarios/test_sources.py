"""A connector whose source refuses it, and one whose endpoint is another's: what each says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.cluster import Cluster, eventually

NAME = "attic"
TOLD_S = 180.0
"""A pod's start, its first poll, a heartbeat, and a beat of the operator, on a busy machine."""
WRONG = "1000000009:a-token-that-the-provider-does-not-know"


def bot(endpoint: str) -> dict[str, Any]:
    """A second bot beside that of the demo, at the demo's provider."""
    source = {"tokenSecretRef": {"name": NAME, "key": "token"}, "apiBaseUrl": "http://providers:40181"}
    return {
        "apiVersion": "butlers.dev/v1alpha1",
        "kind": "Connector",
        "metadata": {"name": NAME},
        "spec": {
            "type": "telegram_bot",
            "endpointIdentity": endpoint,
            "maxTier": "interactive",
            "telegramBot": source,
        },
    }


@pytest.fixture
def token(cluster: Cluster) -> Iterator[None]:
    """A Secret with a token that nobody knows; the connector is gone after the test, too."""
    metadata = {"name": NAME, "labels": {"butlers.dev/usable-by": "household"}}
    cluster.apply(
        {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"token": WRONG}}
    )
    yield
    where = ("--namespace", cluster.namespace, "--ignore-not-found", "--timeout=90s")
    cluster.kubectl("delete", "connector", NAME, *where, timeout_s=100)
    cluster.kubectl("delete", "secret", NAME, *where, timeout_s=100)


def until(cluster: Cluster, type_: str, status: str, reason: str) -> dict[str, Any]:
    def there() -> dict[str, Any] | None:
        found = cluster.condition("connector", NAME, type_)
        return found if found is not None and (found["status"], found["reason"]) == (status, reason) else None

    found = eventually(there, timeout_s=TOLD_S, pause_s=1, what=f"{type_}={status}/{reason}")
    assert found is not None
    return found


def test_a_token_that_the_provider_refuses_is_named_in_the_resource(cluster: Cluster, token: None) -> None:
    cluster.apply(bot("telegram:bot:attic"))
    told = until(cluster, "SourceReachable", "False", "Unauthorized")
    assert "TELEGRAM_BOT_TOKEN" in told["message"]
    assert WRONG not in told["message"]
    ready = until(cluster, "Ready", "False", "Unauthorized")
    assert "TELEGRAM_BOT_TOKEN" in ready["message"]
    until(cluster, "Stalled", "True", "Unauthorized")


def test_a_connector_whose_endpoint_is_taken_shows_no_life_of_the_other(
    cluster: Cluster, token: None
) -> None:
    cluster.apply(bot("telegram:bot:household"))
    until(cluster, "ResolvedRefs", "False", "NameTaken")
    until(cluster, "Online", "False", "NeverSeen")
    mine = cluster.get("connector", NAME)
    assert mine is not None
    assert "liveness" not in mine["status"]
    other = cluster.condition("connector", "telegram", "Online")
    assert other is not None
    assert other["status"] == "True"
