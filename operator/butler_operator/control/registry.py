"""Keep Switchboard's registry and the resources in step: declare, bind, report pods, mirror states (D3, D30).

Every beat of a household, and at once when its pods changed, differences from what Switchboard last took are sent,
evidence is reported, and the registry is read; a resource whose standing changed is reconciled. Invariants: no beat
waits for another household's (`control.beats`); the operator only reports, Switchboard decides; an outage changes no
status before `SILENCE_S`; a refusal is logged and retried after `retry_s`, not with each beat; entries without a
resource are undeclared (`control.leftovers`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from butler_kit.telemetry import get_logger
from butler_operator.control.beats import Beats
from butler_operator.control.channels import Channels
from butler_operator.control.leftovers import Leftovers, connector_path
from butler_operator.control.observed import WORKLOAD
from butler_operator.control.runtime import Runtime
from butler_operator.control.thinking import runtime_word
from butler_operator.gateways.ops import OpsClient, OpsError, OpsRefused
from butler_operator.reconcile.connector import age_of
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.registry import (
    SWITCHBOARD,
    RegistryView,
    source_of,
    view_of,
    with_channels,
    with_runtime,
)
from butler_operator.reconcile.resource import is_deleting, is_paused
from butler_operator.reconcile.workload import Workload, workload_of
from butler_resources.kinds import Butler, Connector
from butler_resources.render.cluster import service_url, subject_of
from butler_resources.render.registry import binding_of, declaration_of, evidence_of

__all__ = ["Registry", "Tidier"]

_log = get_logger(__name__)

SILENCE_S: Final = 60.0
"""How long the last answer is believed: a restart of Switchboard must not rewrite every status twice."""
MAX_PARALLEL: Final = 8
Body = dict[str, Any]


class Tidier(Protocol):
    """Cleans up after deleted resources at the end of each beat, even if their deletion went unseen."""

    async def tidy(self, namespace: str, view: RegistryView, ops: OpsClient) -> None:
        """Clean up. Raises `OpsUnavailable` and is then called again."""
        ...


@dataclass
class _Household:
    """The known state of one namespace's Switchboard."""

    since: float
    view: RegistryView | None = None
    heard_at: float | None = None
    taken: dict[str, str] = field(default_factory=dict)
    """Path → the body that Switchboard accepted or refused."""
    refused: dict[str, float] = field(default_factory=dict)
    """Path → when its body was refused."""
    silent: bool = False


class Registry:
    """`view` for reconciles, `gone` for deletions, `run` for the beat; `tidiers` may be added to."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.tidiers: list[Tidier] = [Leftovers(runtime)]
        self._channels = Channels(runtime)
        self._households: dict[str, _Household] = {}
        self._pods: dict[Key, tuple[bool, int, bool]] = {}
        self._beats = Beats(
            self._beat, self._with_switchboard, left=self._left, every_s=runtime.settings.beat_s
        )

    def view(self, namespace: str) -> RegistryView | None:
        """Return Switchboard's last answer; None while nothing is known yet."""
        household = self._households.get(namespace)
        return household.view if household is not None else None

    def has_switchboard(self, namespace: str) -> bool:
        """Whether the household has a Switchboard to report to."""
        body = self._runtime.observed.get("Butler", namespace, "switchboard")
        return body is not None and not is_deleting(body)

    def pods_changed(self, key: Key, workload: Workload) -> None:
        """Record the state of a butler's pods; a change is reported at once."""
        seen = (workload.serves, workload.restarts, workload.crash_loop)
        if self._pods.get(key) != seen:
            self._pods[key] = seen
            self._beats.soon(key.namespace)

    def retell(self) -> None:
        """Send everything again: Switchboard may have been given another database."""
        for household in self._households.values():
            household.taken.clear()
            household.refused.clear()

    def gone(self, key: Key) -> None:
        """Forget a deleted resource and clean up after it at once."""
        self._pods.pop(key, None)
        self._beats.soon(key.namespace)

    async def run(self) -> None:
        """Beat until cancelled, in every household that has a Switchboard."""
        await self._beats.run()

    def _with_switchboard(self) -> list[str]:
        return [name for name in self._runtime.served if self.has_switchboard(name)]

    def _left(self, namespace: str) -> None:
        self._households.pop(namespace, None)

    async def _beat(self, namespace: str) -> None:
        now = self._runtime.clock.monotonic()
        household = self._households.setdefault(namespace, _Household(since=now))
        ops = self._runtime.ops(namespace)
        before = household.view
        try:
            await self._declare(namespace, household, ops)
            await self._report(namespace, household, ops)
            household.view = await self._read(namespace, ops)
        except OpsError as error:
            self._fell_silent(namespace, household, error)
        except Exception:
            # One household's defect must not end the beat of the others.
            _log.exception("beat_failed", namespace=namespace)
        else:
            household.heard_at = self._runtime.clock.monotonic()
            if household.silent:
                _log.info("switchboard_heard_again", namespace=namespace)
            household.silent = False
        self._bring_back(namespace, before, household.view)

    def _fell_silent(self, namespace: str, household: _Household, error: OpsError) -> None:
        if not household.silent:
            _log.warning("switchboard_silent", namespace=namespace, problem=error.message)
        household.silent = True
        last = household.since if household.heard_at is None else household.heard_at
        if self._runtime.clock.monotonic() - last >= SILENCE_S:
            household.view = RegistryView(heard=False, problem=error.message)

    def _bring_back(self, namespace: str, before: RegistryView | None, after: RegistryView | None) -> None:
        """Reconcile the resources whose standing in the registry changed."""
        if after is None or after == before:
            return
        heard_anew = before is None or before.heard != after.heard
        for kind, identity, body in self._members(namespace):
            old = _standing(before, kind, identity)
            if heard_anew or old != _standing(after, kind, identity):
                self._runtime.queue.add(Key.of(body))

    def _members(self, namespace: str) -> Iterable[tuple[str, Any, Body]]:
        for body in self._runtime.observed.of_kind("Butler", namespace):
            yield "Butler", body["metadata"]["name"], body
        for body in self._runtime.observed.of_kind("Connector", namespace):
            spec = body.get("spec") or {}
            yield "Connector", (spec.get("type"), spec.get("endpointIdentity")), body

    async def _declare(self, namespace: str, household: _Household, ops: OpsClient) -> None:
        wanted = dict(self._told(namespace))
        for path in household.taken.keys() - wanted.keys():
            del household.taken[path]
        for path, body in wanted.items():
            text = json.dumps(body, sort_keys=True)
            if household.taken.get(path) == text and not self._is_due_again(household, path):
                continue
            try:
                await ops.request("PUT", path, body)
            except OpsRefused as error:
                _log.warning("declaration_refused", namespace=namespace, path=path, problem=error.message)
                household.refused[path] = self._runtime.clock.monotonic()
            else:
                household.refused.pop(path, None)
            household.taken[path] = text

    def _is_due_again(self, household: _Household, path: str) -> bool:
        """Whether a refusal is old enough to retry: its cause may be another resource that has since gone."""
        refused_at = household.refused.get(path)
        if refused_at is None:
            return False
        return self._runtime.clock.monotonic() - refused_at >= self._runtime.settings.retry_s

    def _told(self, namespace: str) -> Iterable[tuple[str, dict[str, Any]]]:
        """Yield path and body of everything that Switchboard has to know."""
        now = self._runtime.clock.now()
        for resource, body in self._runtime.parsed("Butler", namespace):
            if isinstance(resource, Butler) and resource.spec.role != "switchboard" and _is_told(body):
                endpoint = f"{service_url(resource, namespace)}/mcp"
                subject = subject_of(resource, namespace)
                yield (
                    f"/butlers/{resource.name}",
                    declaration_of(resource, endpoint=endpoint, now=now, subject=subject),
                )
        # The oldest last: of two connectors with the same endpoint, the oldest owns it.
        connectors = sorted(
            self._runtime.parsed("Connector", namespace), key=lambda one: age_of(one[1]), reverse=True
        )
        for resource, body in connectors:
            path = _path_of(body)
            if isinstance(resource, Connector) and path is not None and _is_told(body):
                yield path, binding_of(resource, subject=subject_of(resource, namespace))

    async def _report(self, namespace: str, household: _Household, ops: OpsClient) -> None:
        slots = asyncio.Semaphore(MAX_PARALLEL)
        now = self._runtime.clock.now()

        async def report(name: str, workload: Workload) -> None:
            evidence = evidence_of(
                name,
                ready=workload.serves,
                restarts=workload.restarts,
                crash_loop=workload.crash_loop,
                observed_at=now,
            )
            async with slots:
                try:
                    await ops.request("POST", "/evidence", evidence)
                except OpsRefused as error:
                    _log.warning("evidence_refused", namespace=namespace, butler=name, problem=error.message)

        reports = []
        for path in household.taken:
            kind, _, name = path[1:].partition("/")
            if kind == "butlers" and path not in household.refused:
                children = self._runtime.observed.children(Key("Butler", namespace, name), WORKLOAD)
                reports.append(report(name, workload_of(children)))
        for result in await asyncio.gather(*reports, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def _read(self, namespace: str, ops: OpsClient) -> RegistryView:
        butlers = (await ops.request("GET", "/butlers")).get("butlers") or []
        connectors = (await ops.request("GET", "/connectors")).get("connectors") or []
        view = with_channels(view_of(butlers, connectors), await self._channels.of(namespace))
        view = with_runtime(view, await runtime_word(self._runtime, namespace, ops))
        for tidier in self.tidiers:
            await tidier.tidy(namespace, view, ops)
        return view


def _is_told(body: Mapping[str, Any]) -> bool:
    """Whether Switchboard should know of it; a resource paused before its first reconcile is left alone."""
    looked_at = "observedGeneration" in (body.get("status") or {})
    return not is_deleting(body) and (looked_at or not is_paused(body))


def _standing(view: RegistryView | None, kind: str, identity: Any) -> Any:
    if view is None:
        return None
    if kind == "Butler" and identity == SWITCHBOARD:
        return view.runtime
    return view.butlers.get(identity) if kind == "Butler" else view.connectors.get(identity)


def _path_of(body: Mapping[str, Any]) -> str | None:
    """Return a resource's path in the ops API; None if it is not in the registry."""
    spec = body.get("spec") or {}
    if body["kind"] == "Butler":
        return None if spec.get("role") == "switchboard" else f"/butlers/{body['metadata']['name']}"
    source = source_of(body)
    return connector_path(*source) if source is not None else None
