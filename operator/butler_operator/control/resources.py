"""The one reconcile path of Butlers and Connectors, whatever queued the key (architecture §7).

parse → paused? → observed → references → render → ownership → apply → prune → status → events. Invariants: a bad spec
becomes a condition and is not retried; a missing reference becomes a named condition and is retried; an outage is
raised, and the queue retries; a resource whose children and status are as desired causes no write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Generic

from butler_operator.cluster.errors import ClusterGone
from butler_operator.control.bundles import NONE, Bundle, Bundles
from butler_operator.control.children import Children
from butler_operator.control.databases import Databases
from butler_operator.control.finalizers import without_finalizer
from butler_operator.control.instructions import look_at_instructions
from butler_operator.control.observed import WORKLOAD
from butler_operator.control.registry import Registry
from butler_operator.control.rollouts import Rollouts
from butler_operator.control.runtime import Runtime
from butler_operator.control.secrets import Secrets
from butler_operator.reconcile.alone import without_messenger
from butler_operator.reconcile.conditions import Condition, since_of
from butler_operator.reconcile.images import image_refused
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.notices import notices
from butler_operator.reconcile.outcome import Outcome, done, requeue
from butler_operator.reconcile.progress import progress_of
from butler_operator.reconcile.references import inputs_of, refs_condition
from butler_operator.reconcile.registry import RegistryView
from butler_operator.reconcile.resource import R, Rules, is_deleting, is_paused, owner_of, problem_text
from butler_operator.reconcile.running import running
from butler_operator.reconcile.sharing import unshared
from butler_operator.reconcile.source import because, without_runtime
from butler_operator.reconcile.status import (
    ACCEPTED,
    conditions_of,
    patch_of,
    paused_conditions,
    rejected,
    unavailable,
)
from butler_operator.reconcile.workload import Workload, ready_condition, workload_of
from butler_resources.kinds import Butler, ManifestError
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.render import bundle_of
from butler_resources.render.cluster import Place, dispensable, named, references

__all__ = ["Resources", "Waiting"]

SOON_S: Final = 3.0
UNKNOWN_TO_ALL: Final = RegistryView(heard=True)
"""The view of a resource whose place another has taken: Switchboard's entry for it describes the other."""
Body = dict[str, Any]


class Waiting:
    """Keys that wait for a namespace's Switchboard to be created; its creation sends them no event."""

    def __init__(self) -> None:
        self._keys: defaultdict[str, set[Key]] = defaultdict(set)

    def add(self, key: Key) -> None:
        self._keys[key.namespace].add(key)

    def take(self, namespace: str) -> set[Key]:
        return self._keys.pop(namespace, set())


class Resources(Generic[R]):
    """`reconcile` for one kind; `rules` are its particulars."""

    def __init__(
        self,
        runtime: Runtime,
        rules: Rules[R],
        *,
        secrets: Secrets,
        registry: Registry,
        waiting: Waiting,
        rollouts: Rollouts,
        databases: Databases,
        more: Callable[[Key], tuple[Condition, ...]] = lambda _: (),
        look: Callable[[Key, R], Awaitable[None]] | None = None,
    ) -> None:
        self._runtime = runtime
        self._rules = rules
        self._secrets = secrets
        self._registry = registry
        self._waiting = waiting
        self._rollouts = rollouts
        self._databases = databases
        self._more = more
        self._look = look
        self._children = Children(runtime)
        self._bundles = Bundles(runtime.cluster, clock=runtime.clock, fresh_s=runtime.settings.retry_s)

    async def reconcile(self, key: Key) -> Outcome:
        """Bring one resource and its status to the desired state."""
        body = self._runtime.observed.resource(key)
        if body is None or is_deleting(body):
            self._registry.gone(key)
        if body is None:
            self._children.forget(key)
            return done()
        try:
            return await self._reconcile(key, body)
        except ClusterGone:
            return done()  # deleted meanwhile; the watch reports what is left to do

    async def _reconcile(self, key: Key, body: Body) -> Outcome:
        body = await without_finalizer(self._runtime, body)
        if is_deleting(body):
            return done()
        try:
            resource = self._rules.parse(body)
        except ManifestError as error:
            await self._tell(body, conditions_of([rejected(problem_text(error))]))
            return done()
        if is_paused(body):
            await self._tell(body, paused_conditions(), advance=False)
            return done()
        problem = self._rules.unavailable(resource)
        if problem is not None:
            # Running pods stay as they are: pods with this manifest would exit again and again.
            await self._tell_all(body, resource, [unavailable(f"spec.runtime.family: {problem}")])
            return done()
        return await self._advance(key, body, resource)

    async def _advance(self, key: Key, body: Body, resource: R) -> Outcome:
        if not self._rules.in_registry(resource):
            for waiting in self._waiting.take(key.namespace):
                self._runtime.queue.add(waiting)
            self._tell_heirs(key.namespace, resource)
            await self._databases.look(body)
        if self._look is not None:
            await self._look(key, resource)
        place = replace(
            self._runtime.place(key.namespace), departures=self._databases.departures(key.namespace)
        )
        refs = references(resource, place)
        secrets = await self._secrets.facts(key.namespace, refs)
        spared = {ref for ref in dispensable(resource) if not secrets[ref.name].has(ref.key)}
        refs = tuple(ref for ref in refs if ref not in spared)
        resolved = refs_condition(
            refs,
            secrets,
            database=self._rules.database(resource, place),
            switchboard=self._rules.switchboard(resource),
            switchboards=self._switchboards(key.namespace),
            taken_by=self._rules.taken_by(resource, body, self._others(key)),
            refused=unshared(named(resource, place.household), secrets, place=place)
            or image_refused(resource, place),
        )
        contacts = self._rules.contacts(resource)
        if contacts is not None and resolved.status == "True":
            problem = await self._secrets.contacts(key.namespace, contacts, secrets[contacts.name])
            resolved = problem or resolved
        texts = NONE
        if resolved.status == "True":
            texts = await self._texts(key.namespace, resource, place)
            resolved = texts.problem or resolved
        if resolved.status != "True":
            if resolved.reason == Reason.SWITCHBOARD_NOT_FOUND:
                self._waiting.add(key)
            if resolved.reason == Reason.SECRET_NOT_SHARED:
                self._secrets.forget(key.namespace, refs)
            await self._tell_all(body, resource, [ACCEPTED, resolved])
            return requeue(self._retry_s(key), resolved.reason)
        # Messenger reads changed contacts itself.
        inputs = {**inputs_of([ref for ref in refs if ref != contacts], secrets), **texts.inputs}
        owner, said = owner_of(body), body["metadata"].get("generation")
        desired = self._rules.render(resource, place, owner=owner, inputs=inputs)
        gate = self._rollouts.gate(key, desired)
        deployed = await self._children.bring(key, gate.desired, owner=owner, generation=said, kept=gate.kept)
        await self._tell_all(body, resource, [ACCEPTED, resolved, deployed], waits=gate.waits)
        if deployed.status == "True" and not gate.waits:
            return requeue(self._runtime.settings.retry_s, Reason.SECRET_NOT_FOUND) if spared else done()
        return requeue(self._runtime.settings.retry_s, gate.waits or deployed.reason)

    async def _texts(self, namespace: str, resource: R, place: Place) -> Bundle:
        """Return what pods read from people's ConfigMaps: authorities and a butler's instructions."""
        bundle = await self._bundles.look(namespace, bundle_of(resource, place.household))
        told = await look_at_instructions(self._runtime.cluster, namespace, resource)
        return Bundle(bundle.problem or told.problem, {**bundle.inputs, **told.inputs})

    def _tell_heirs(self, namespace: str, switchboard: R) -> None:
        """Requeue butlers and connectors if the household's settings, which they inherit, changed."""
        said = switchboard.spec.household if isinstance(switchboard, Butler) else None
        if self._runtime.households.tell(namespace, said):
            for kind in ("Butler", "Connector"):
                for body in self._runtime.observed.of_kind(kind, namespace):
                    self._runtime.queue.add(Key.of(body))

    def _retry_s(self, key: Key) -> float:
        """Return a short delay at first: a directory's Secrets may be applied after what names them."""
        retry_s = self._runtime.settings.retry_s
        status = (self._runtime.observed.resource(key) or {}).get("status")
        since = since_of(status, ConditionType.RESOLVED_REFS)
        young = since is not None and (self._runtime.clock.now() - since).total_seconds() < retry_s
        return min(retry_s, SOON_S) if young else retry_s

    def _others(self, key: Key) -> Sequence[Body]:
        found = self._runtime.observed.of_kind(key.kind, key.namespace)
        return [body for body in found if body["metadata"]["name"] != key.name]

    def _switchboards(self, namespace: str) -> list[str]:
        return [
            body["metadata"]["name"]
            for body in self._runtime.observed.of_kind("Butler", namespace)
            if (body.get("spec") or {}).get("role") == "switchboard" and not is_deleting(body)
        ]

    async def _tell_all(
        self, body: Body, resource: R, reached: Sequence[Condition], *, waits: str = ""
    ) -> None:
        """Write the full status of a parsed resource: the state of its pods and the registry's view."""
        children = self._runtime.observed.children(Key.of(body), WORKLOAD)
        workload = workload_of(children)
        view = self._registry.view(body["metadata"]["namespace"])
        if reached[-1].reason == Reason.NAME_TAKEN:
            view = UNKNOWN_TO_ALL
        more = (*self._rules.more_conditions(resource, workload, view), *self._more(Key.of(body)))
        ready = [self._ready(body, resource, workload, more)] if reached[-1].status == "True" else []
        progress = progress_of(children, workload, waits=waits)
        conditions = conditions_of([*reached, *ready], progress=progress, more=more)
        now = self._runtime.clock.now()
        fields = self._rules.fields(resource, workload, view, body.get("status") or {}, now)
        fields |= running(children, workload, progress)
        if not self._rules.in_registry(resource):
            fields |= self._databases.fields(body["metadata"]["namespace"])
        elif self._rules.kind == "Butler":
            self._registry.pods_changed(Key.of(body), workload)
        await self._tell(body, conditions, fields=fields, now=now, void=self._rules.void(resource))

    def _ready(self, body: Body, resource: R, workload: Workload, more: Sequence[Condition]) -> Condition:
        """Return `Ready`, with the reason of whatever keeps the pods from it."""
        ready = because(ready_condition(workload, suspended=self._rules.suspended(resource)), workload, more)
        if not isinstance(resource, Butler):
            return ready
        household = self._runtime.observed.of_kind("Butler", body["metadata"]["namespace"])
        return without_messenger(without_runtime(ready, resource, more), resource, workload, household)

    async def _tell(
        self,
        body: Body,
        conditions: Sequence[Condition],
        *,
        fields: Mapping[str, Any] | None = None,
        now: datetime | None = None,
        advance: bool = True,
        void: Collection[str] = (),
    ) -> None:
        """Write the status if it changed, then the events of the change; `advance`: the generation was acted on."""
        old = body.get("status") or {}
        generation = body["metadata"].get("generation", 0)
        seen = {"observedGeneration": generation} if advance else {}
        moment = now or self._runtime.clock.now()
        told = {**seen, **(fields or {})}
        patch = patch_of(old, told, conditions, generation=generation, now=moment, void=void)
        if patch is None:
            return
        written = await self._runtime.cluster.write_status(body, patch)
        self._runtime.metrics.count("butlers.operator.writes", kind=self._rules.kind, verb="status")
        self._runtime.observed.put(written)
        await self._runtime.events.record(body, *notices(old, conditions))
