"""The operator in this process, against an emulated API server and a registry double."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kmock
import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric import rsa

import butler_operator.main  # noqa: F401 - registers the handlers
from butler_operator.cluster.client import connect
from butler_operator.control.runtime import Runtime
from butler_operator.process import serve
from butler_operator.settings import OperatorSettings
from tests.support.cluster_api import ClusterApi
from tests.support.registry_double import RegistryDouble
from tests.support.shared_trust import share_cluster_trust

share_cluster_trust()


def _modulus() -> str:
    numbers = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key().public_numbers()
    return base64.urlsafe_b64encode(numbers.n.to_bytes(256, "big")).rstrip(b"=").decode()


CLUSTER_KEY = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "cluster-1", "e": "AQAB", "n": _modulus()}


@dataclass
class Household:
    """A namespace `home`, its API server, its Switchboard, and the operator that looks after them."""

    api: ClusterApi
    registry: RegistryDouble
    runtime: Runtime

    async def until(self, seen: Callable[[], Any], *, within_s: float = 60.0) -> None:
        """Wait until `seen()` is true; fails with what the cluster looks like."""
        try:
            async with asyncio.timeout(within_s):
                while not seen():
                    await asyncio.sleep(0.02)
        except TimeoutError:
            writes = [(verb, ident) for verb, ident, _ in self.api.writes]
            pytest.fail(f"did not happen; writes: {writes}; asked last: {list(self.api.asked)}")

    async def settled(self) -> None:
        """Wait until the operator has nothing to do."""
        quiet = 0
        async with asyncio.timeout(90):
            while quiet < 5:
                await asyncio.sleep(0.03)
                quiet = quiet + 1 if self.runtime.queue.idle() else 0

    def has(
        self, kind: str, name: str, type_: str, status: str, reason: str | None = None
    ) -> Callable[[], bool]:
        """A question for `until`: the condition is so."""

        def seen() -> bool:
            found = self.api.condition(kind, name, type_)
            return found is not None and found["status"] == status and reason in (None, found["reason"])

        return seen


@asynccontextmanager
async def running(
    api: ClusterApi, url: str, registry: RegistryDouble, directory: Path, **settings: Any
) -> AsyncIterator[Household]:
    tokens = directory / "tokens"
    tokens.mkdir(exist_ok=True)
    (tokens / "switchboard").write_text("a-token")
    ours = OperatorSettings(
        **{
            "namespaces": ("home",),
            "tokens_dir": tokens,
            "retry_s": 0.3,
            "beat_s": 0.2,
            "health_port": 0,
            "metrics_port": 0,
            **settings,
        }
    )
    runtime = Runtime(settings=ours, cluster=await connect(host=url), http=registry.client())
    stop = asyncio.Event()
    operator = asyncio.create_task(serve(runtime, stop=stop))
    try:
        yield Household(api, registry, runtime)
    finally:
        stop.set()
        await asyncio.wait_for(asyncio.gather(operator, return_exceptions=True), 90)


@pytest.fixture
async def api() -> AsyncIterator[tuple[ClusterApi, str]]:
    async with ClusterApi() as handler, kmock.Server(handler) as server:
        handler["/.well-known/openid-configuration"] << {"issuer": "https://cluster.example"}
        handler["/openid/v1/jwks"] << {"keys": [CLUSTER_KEY]}
        yield handler, str(server.url).rstrip("/")


@pytest.fixture
def registry() -> RegistryDouble:
    return RegistryDouble()


@pytest.fixture
def start(
    api: tuple[ClusterApi, str],
    registry: RegistryDouble,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Any]:
    """`async with start(**settings) as household`: an operator for as long as the block lasts."""
    handler, url = api
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        yaml.safe_dump(
            {
                "clusters": [{"name": "c", "cluster": {"server": url}}],
                "users": [{"name": "u", "user": {"token": "t"}}],
                "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                "current-context": "x",
            }
        )
    )
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    return lambda **settings: running(handler, url, registry, tmp_path, **settings)
