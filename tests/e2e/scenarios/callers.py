"""Calls to the household's services with tokens of the cluster's service accounts, over a port-forward."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from butler_kit.mcp import CachedMCPClient
from tests.e2e.cluster import Cluster

__all__ = ["Service", "service", "token"]

READER = "butlers-reader"


def token(
    cluster: Cluster, account: str, *, audience: str = "switchboard", namespace: str | None = None
) -> str:
    """What the API server gives to whoever may ask for `account`'s tokens."""
    return cluster.kubectl(
        "create", "token", account, "--namespace", namespace or cluster.namespace,
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

    def read(self, path: str) -> dict[str, Any]:
        """A page of the ops API, as a person's plugin reads it."""
        with self.reader() as read:
            return read(path)

    @contextlib.contextmanager
    def reader(self) -> Iterator[Callable[[str], dict[str, Any]]]:
        """`read` by one token, which holds for ten minutes, and one connection."""
        bearer = {"Authorization": f"Bearer {token(self.cluster, READER, audience=self.name)}"}
        with httpx.Client(
            base_url=f"{self.url}/ops/v1", headers=bearer, timeout=20, trust_env=False
        ) as client:

            def read(path: str) -> dict[str, Any]:
                found: dict[str, Any] = client.get(path).raise_for_status().json()
                return found

            yield read

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
