"""Calls to the household's services with tokens of the cluster's service accounts, over a port-forward."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from butler_kit.mcp import CachedMCPClient
from tests.e2e.cluster import Cluster

__all__ = ["Service", "service", "token"]

READER = "butlers-reader"


def token(cluster: Cluster, account: str, *, audience: str = "switchboard") -> str:
    """What the API server gives to whoever may ask for `account`'s tokens."""
    return cluster.kubectl(
        "create", "token", account, "--namespace", cluster.namespace,
        "--audience", f"butlers.dev/{audience}", "--duration", "10m",
    ).strip()  # fmt: skip


@dataclass(frozen=True)
class Service:
    """A butler's service at a local port."""

    cluster: Cluster
    name: str
    url: str

    def call(self, bearer: str, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool. Raises what the client raises."""
        return asyncio.run(self._call(bearer, tool, arguments))

    def read(self, path: str, **query: str) -> dict[str, Any]:
        """A page of the ops API, as a person's plugin reads it."""
        bearer = {"Authorization": f"Bearer {token(self.cluster, READER, audience=self.name)}"}
        answer = httpx.get(
            f"{self.url}/ops/v1/{path}", params=query, headers=bearer, timeout=20, trust_env=False
        )
        found: dict[str, Any] = answer.raise_for_status().json()
        return found

    async def _call(self, bearer: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        client = CachedMCPClient.for_service(f"{self.url}/sse", lambda: bearer, timeout_s=20)
        try:
            return await client.call(tool, arguments)
        finally:
            await client.aclose()


@contextlib.contextmanager
def service(cluster: Cluster, name: str) -> Iterator[Service]:
    """The butler `name`, reachable while the block runs."""
    found = cluster.get("service", f"butler-{name}")
    assert found is not None
    port = found["spec"]["ports"][0]["port"]
    with cluster.port_forward(f"service/butler-{name}", port) as ports:
        yield Service(cluster, name, f"http://127.0.0.1:{ports[port]}")
