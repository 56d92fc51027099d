"""The control plane, the proxy in front of it, and an operator process that can be killed and restarted."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx

from bench.operator.audit import policy_for, read_calls
from bench.operator.household import NAMESPACE, OPERATOR_USER, create_all, install
from bench.operator.plane import ADMIN, Plane, running, running_plane
from bench.operator.registry import HouseholdAnswers, RegistryAnswers
from bench.operator.told import answering, environment
from bench.torture.oracle import desired_of, differences, unneeded
from bench.torture.proxy import Proxy
from bench.torture.requests import changes_something
from butler_operator.cluster.paths import CHILD_KINDS, path_of
from butler_operator.control.place import place_for
from butler_operator.reconcile.plan import ChildId, child_id
from butler_operator.settings import OperatorSettings
from butler_resources.kinds.household import Household
from butler_resources.render.cluster import Place

__all__ = ["RESYNC_S", "World", "running_world"]

STATE: Final = Path(".butlers/operator-torture")
RESYNC_S: Final = 20.0
REACH_S: Final = 90.0
DEADLINE_S: Final = 86_400
"""Of a roll-out: pods never become ready without a node, and a Stalled in the middle would be a write of its own."""
QUIET_S: Final = 2.0
Body = dict[str, Any]


@dataclass
class World:
    """Everything that runs; one operator at a time."""

    plane: Plane
    http: httpx.AsyncClient
    proxy: Proxy
    told: dict[str, str]
    place: Place
    answers: HouseholdAnswers
    """What the household's services were told and asked."""
    _stack: ExitStack = field(default_factory=ExitStack)
    operator: subprocess.Popen[bytes] | None = None
    starts: int = 0

    async def start(self) -> None:
        """Start a new process of the operator, and wait until it answers."""
        self.stop()
        self.starts += 1
        command = [sys.executable, "-m", "butler_operator"]
        self.operator = self._stack.enter_context(running("operator", command, self.plane.folder, self.told))
        await answering(int(self.told["BUTLERS_HEALTH_PORT"]))

    def stop(self) -> None:
        """End the current process, if it runs, gracefully."""
        self._stack.close()
        self.operator = None

    def kill(self) -> None:
        if self.operator is not None:
            self.operator.kill()

    @property
    def dead(self) -> bool:
        return self.operator is None or self.operator.poll() is not None

    async def put(self, body: Body) -> None:
        """Apply server-side as the administrator; raise if the API server refuses."""
        refused = await self.offer(body)
        if refused:
            raise RuntimeError(f"{body['kind']} {body['metadata']['name']}: {refused}")

    async def offer(self, body: Body) -> str:
        """Apply server-side as the administrator; return why the API server refuses it, empty if it does not."""
        name = body["metadata"]["name"]
        path = path_of(body["kind"], NAMESPACE, name)
        headers = {"Content-Type": "application/apply-patch+yaml"}
        query = {"fieldManager": ADMIN, "force": "true"}
        answer = await self.http.patch(path, params=query, json=body, headers=headers)
        return "" if answer.status_code < 300 else answer.text[:500]

    async def resource(self, kind: str, name: str) -> Body | None:
        answer = await self.http.get(path_of(kind, NAMESPACE, name))
        return None if answer.status_code == 404 else dict(answer.raise_for_status().json())

    async def delete(self, kind: str, name: str) -> None:
        (await self.http.delete(path_of(kind, NAMESPACE, name))).raise_for_status()

    async def children(self, kind: str, name: str) -> list[Body]:
        """Return the objects labelled as belonging to a resource."""
        query = {"labelSelector": f"butlers.dev/kind={kind},butlers.dev/name={name}"}
        found: list[Body] = []
        for child in CHILD_KINDS:
            answer = await self.http.get(path_of(child.kind, NAMESPACE), params=query)
            items = answer.raise_for_status().json()["items"]
            found += [{**body, "kind": child.kind, "apiVersion": child.api_version} for body in items]
        return found

    async def uids(self, kind: str, name: str) -> dict[ChildId, str]:
        return {child_id(body): body["metadata"]["uid"] for body in await self.children(kind, name)}

    async def wrong(self, kind: str, name: str) -> list[str]:
        """Return what differs from the last manifest; for a deleted resource, whatever is left."""
        body, live = await self.resource(kind, name), await self.children(kind, name)
        if body is None:
            return [f"{child_id(one)} is left over" for one in live]
        secrets = (await self.http.get(path_of("Secret", NAMESPACE))).raise_for_status().json()["items"]
        known = {one["metadata"]["name"]: one for one in secrets}
        desired = desired_of({**body, "kind": kind}, self.place, known, live)
        found = differences(desired, live, uid=body["metadata"]["uid"])
        if (body.get("status") or {}).get("observedGeneration") != body["metadata"]["generation"]:
            found.append("the status is of an earlier generation")
        return found

    async def reached(self, kind: str, name: str, *, within_s: float = REACH_S) -> list[str]:
        """Wait until all is correct and nothing is written, or the operator is dead; return what is still wrong."""
        until = time.monotonic() + within_s
        while True:
            wrong = [] if self.dead else await self.wrong(kind, name)
            quiet = time.monotonic() - self.proxy.last_write > QUIET_S
            if self.dead or (not wrong and quiet):
                return []
            if time.monotonic() > until:
                return wrong or ["the operator does not stop writing"]
            await asyncio.sleep(0.25)

    def written(self, since: datetime) -> list[str]:
        """Return what the operator wrote since then, by the audit log, without its Lease and queries by POST."""
        calls = read_calls(self.plane.audit_log).between(since, datetime.now(UTC)).writes
        return [
            f"{call.verb} {call.resource} {call.name}"
            for call in calls
            if call.status < 300 and changes_something(call)
        ]

    def deletions(self, since: datetime, needed: set[ChildId]) -> list[str]:
        """Return what the operator deleted since then without need, by the audit log."""
        calls = read_calls(self.plane.audit_log).between(since, datetime.now(UTC))
        return unneeded(calls.calls, needed)


@asynccontextmanager
async def running_world() -> AsyncIterator[World]:
    """Run a household with a Switchboard without pods, and the operator behind the proxy."""
    registry = RegistryAnswers()
    async with running_plane(STATE, policy_for(OPERATOR_USER)) as plane, plane.client() as http:
        place = install(plane)
        proxy = Proxy(plane.url, plane.authority)
        async with registry.serving() as ops_url, proxy.serving() as url:
            told = await environment(plane, http, place, ops_url, resync_s=RESYNC_S)
            told["BUTLERS_PROGRESS_DEADLINE_SECONDS"] = str(DEADLINE_S)
            _through(Path(told["KUBECONFIG"]), url, plane.url)
            switchboard = {"role": "switchboard", "replicas": 0}
            await create_all(http, [_butler("switchboard", switchboard)])
            settings = OperatorSettings.from_env(told)
            world = World(plane, http, proxy, told, _place(settings), registry.households[NAMESPACE])
            try:
                await world.start()
                wrong = await world.reached("Butler", "switchboard")
                if wrong:
                    raise RuntimeError(f"the Switchboard was not made: {'; '.join(wrong)}")
                yield world
            finally:
                world.stop()


def _place(settings: OperatorSettings) -> Place:
    return replace(place_for(settings, NAMESPACE), household=Household())


def _butler(name: str, spec: Body) -> Body:
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "metadata": metadata, "spec": spec}


def _through(kubeconfig: Path, url: str, direct: str) -> None:
    """Point the operator's kubeconfig at the proxy."""
    text = kubeconfig.read_text(encoding="utf-8")
    kubeconfig.write_text(text.replace(direct, url), encoding="utf-8")
