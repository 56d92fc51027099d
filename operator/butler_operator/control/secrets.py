"""Referenced Secrets, fetched by name; only digests stay in memory. `reload` watches for changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from butler_kit.time import Clock
from butler_operator.cluster.client import Cluster
from butler_operator.reconcile.conditions import Condition
from butler_operator.reconcile.references import SecretFacts, contacts_problem, facts_of, text_in
from butler_resources.kinds import SecretRef

__all__ = ["Secrets"]


@dataclass(frozen=True)
class _Known:
    facts: SecretFacts
    fetched: float


class Secrets:
    """`facts` answers from memory while a Secret is fresh; `expire` makes the next call ask the API."""

    def __init__(self, cluster: Cluster, *, clock: Clock, fresh_s: float, missing_fresh_s: float) -> None:
        self._cluster = cluster
        self._clock = clock
        self._fresh_s = fresh_s
        self._missing_fresh_s = missing_fresh_s
        self._known: dict[tuple[str, str], _Known] = {}
        self._right_contacts: dict[tuple[str, str, str], str] = {}

    async def facts(self, namespace: str, refs: Iterable[SecretRef]) -> dict[str, SecretFacts]:
        """Return the facts of every Secret that `refs` name, by name. Raises `ClusterError`s."""
        keys: dict[str, set[str]] = {}
        for ref in refs:
            keys.setdefault(ref.name, set()).add(ref.key)
        return {name: await self._one(namespace, name, wanted) for name, wanted in keys.items()}

    async def _one(self, namespace: str, name: str, wanted: set[str]) -> SecretFacts:
        known = self._known.get((namespace, name))
        if known is not None and self._clock.monotonic() - known.fetched < self._life(known.facts, wanted):
            return known.facts
        facts = facts_of(await self._cluster.get("Secret", namespace, name))
        self._known[namespace, name] = _Known(facts, self._clock.monotonic())
        return facts

    async def contacts(self, namespace: str, ref: SecretRef, known: SecretFacts) -> Condition | None:
        """Return the problem of the contacts that `ref` names; each valid value is checked once."""
        ident = (namespace, ref.name, ref.key)
        if self._right_contacts.get(ident) == known.digests.get(ref.key):
            return None
        secret = await self._cluster.get("Secret", namespace, ref.name)
        facts = facts_of(secret)
        self._known[namespace, ref.name] = _Known(facts, self._clock.monotonic())
        problem = contacts_problem(text_in(secret or {}, ref.key), ref)
        if problem is None:
            self._right_contacts[ident] = facts.digests.get(ref.key, "")
        return problem

    def _life(self, facts: SecretFacts, wanted: set[str]) -> float:
        """Return how long facts stay fresh; incomplete ones only briefly, since the rest may exist by now."""
        complete = facts.exists and all(facts.has(key) for key in wanted)
        return self._fresh_s if complete else self._missing_fresh_s

    def forget(self, namespace: str, refs: Iterable[SecretRef]) -> None:
        """Fetch these anew next time: one has changed, or somebody is expected to label it."""
        for ref in refs:
            self._known.pop((namespace, ref.name), None)

    def expire(self) -> None:
        """Forget everything, so that the resync fetches anew."""
        self._known.clear()
