"""A real API server with its garbage collector, the chart's roles on it, and operators as processes beside it.

It is the bench's control plane: no node, so no pods. Everything is on loopback and ends with the test.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from bench.operator.household import NAMESPACE, SYSTEM, install
from bench.operator.plane import PROGRAMS, Plane, free_ports, running, running_plane
from bench.operator.registry import RegistryAnswers

__all__ = ["HOME", "OWN", "Operator", "Site", "require_programs", "site_in", "until"]

HOME = f"namespaces/{NAMESPACE}"
OWN = f"/apis/butlers.dev/v1alpha1/{HOME}"
AUDIT = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "None"}]}
T = TypeVar("T")
Body = dict[str, Any]


def require_programs() -> None:
    """Skip a test where the control plane was never made; fail it in CI, where everything has to be there."""
    missing = _programs_missing()
    if not missing:
        return
    told = (
        f"the operator is not tested on a real API server: no {', '.join(missing)} here; "
        f"cluster/binaries.sh {' '.join(PROGRAMS)} gets them"
    )
    if os.environ.get("CI"):
        pytest.fail(told)
    pytest.skip(told)


def _programs_missing() -> list[str]:
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cache = Path(os.environ.get("BUTLERS_CLUSTER_CACHE") or caches / "butlers-cluster")
    binaries = Path(os.environ.get("BUTLERS_CLUSTER_BIN") or cache / "bin")
    return [name for name in PROGRAMS if not (binaries / name).is_file()]


@dataclass(frozen=True)
class Operator:
    """One process; `log` is what it has said so far."""

    process: subprocess.Popen[bytes]
    health: str
    metrics: str
    file: Path

    @property
    def log(self) -> str:
        return self.file.read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class Site:
    """The API server as an administrator uses it, and what an operator's process needs."""

    plane: Plane
    http: httpx.AsyncClient
    environment: dict[str, str]

    @contextmanager
    def operator(self, name: str, **more: str) -> Iterator[Operator]:
        """An operator of that pod name until the block ends."""
        health, metrics = free_ports(2)
        ports = {"BUTLERS_HEALTH_PORT": str(health), "BUTLERS_METRICS_PORT": str(metrics)}
        environment = self.environment | ports | {"HOSTNAME": name} | more
        command = [sys.executable, "-m", "butler_operator"]
        with running(name, command, self.plane.folder, environment) as process:
            here = "http://127.0.0.1"
            log = self.plane.folder / f"{name}.log"
            yield Operator(process, f"{here}:{health}", f"{here}:{metrics}", log)

    async def have(self, path: str, body: Body) -> Body:
        """Create an object."""
        answer = await self.http.post(path, json=body)
        assert answer.status_code == 201, answer.text
        made: Body = answer.json()
        return made

    async def find(self, path: str) -> Body | None:
        answer = await self.http.get(path)
        found: Body = answer.json()
        return None if answer.status_code == 404 else found

    async def condition(self, kind: str, name: str, type_: str) -> Body:
        """A condition of a resource; empty when it is not there."""
        found = await self.find(f"{OWN}/{kind.lower()}s/{name}") or {}
        conditions = (found.get("status") or {}).get("conditions") or []
        return next((one for one in conditions if one["type"] == type_), {})

    async def deployed(self, kind: str, name: str) -> bool:
        return (await self.condition(kind, name, "Deployed")).get("status") == "True"


async def until(look: Callable[[], Awaitable[T]], what: str, *, within_s: float = 120.0) -> T:
    """The first true answer."""
    found: T | None = None
    try:
        async with asyncio.timeout(within_s):
            while not (found := await look()):
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise AssertionError(f"not within {within_s:g} s: {what} (last: {found!r})") from None
    return found


@asynccontextmanager
async def site_in(folder: Path) -> AsyncIterator[Site]:
    """A control plane with the chart's objects, and a registry that knows everybody."""
    async with running_plane(folder, AUDIT) as plane, plane.client() as http:
        place = await asyncio.to_thread(install, plane)
        async with RegistryAnswers().serving() as ops_url:
            path = f"/api/v1/namespaces/{SYSTEM}/serviceaccounts/butlers-operator/token"
            answer = await http.post(path, json={"spec": {"expirationSeconds": 3600}})
            token = str(answer.raise_for_status().json()["status"]["token"])
            tokens = plane.folder / "tokens"
            tokens.mkdir()
            for receiver in ("switchboard", "messenger"):
                (tokens / receiver).write_text(token, encoding="ascii")
            environment = {
                "KUBECONFIG": str(plane.kubeconfig("operator", token)),
                "BUTLERS_NAMESPACES": NAMESPACE,
                "BUTLERS_OPERATOR_NAMESPACE": SYSTEM,
                "BUTLERS_PLACE_FILE": str(place),
                "BUTLERS_TOKENS_DIR": str(tokens),
                "BUTLERS_OPS_URL": ops_url,
                "BUTLERS_RETRY_SECONDS": "1",
            }
            yield Site(plane, http, environment)
