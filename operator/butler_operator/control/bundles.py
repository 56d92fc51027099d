"""Check a household's own certificate authorities before any pod reads them: they exist and are certificates.

A bundle is fetched by name and cached briefly, so that the butlers of a household fetch it once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from butler_kit.time import Clock
from butler_operator.cluster.client import Cluster
from butler_operator.reconcile.conditions import Condition, failed
from butler_operator.reconcile.references import text_in
from butler_resources.kinds.ca_bundle import CaBundleRef, bundle_problem
from butler_resources.kinds.conditions import ConditionType, Reason

__all__ = ["NONE", "Bundle", "Bundles", "bundle_in"]

KEPT: Final = 1_000


@dataclass(frozen=True)
class Bundle:
    """A bundle's problem, or the digest that identifies it among the inputs that pods read at start."""

    problem: Condition | None = None
    inputs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


NONE: Final = Bundle()


def bundle_in(found: Mapping[str, Any] | None, ref: CaBundleRef) -> Bundle:
    """Return the bundle that `ref` names, from the object `found`."""
    here = f"{ref.kind} {ref.name}"
    if found is None:
        return _wrong(
            Reason.CA_BUNDLE_NOT_FOUND, f"no {here} in this namespace; create it with key {ref.key}"
        )
    data = found.get("data") or {}
    if ref.key not in data:
        known = ", ".join(sorted(data)) or "none"
        return _wrong(Reason.CA_BUNDLE_NOT_FOUND, f"{here} has no key {ref.key} (keys: {known})")
    text = text_in(found, ref.key) if ref.secret is not None else str(data[ref.key])
    problem = bundle_problem(text)
    if problem is not None:
        return _wrong(Reason.CA_BUNDLE_INVALID, f"{here}, key {ref.key}, {problem}")
    return Bundle(inputs={f"{here}/{ref.key}": hashlib.sha256(text.encode()).hexdigest()[:16]})


def _wrong(reason: Reason, text: str) -> Bundle:
    return Bundle(failed(ConditionType.RESOLVED_REFS, reason, f"caBundleRef: {text}"))


class Bundles:
    """`look` asks the API at most once per `fresh_s` for each usable bundle."""

    def __init__(self, cluster: Cluster, *, clock: Clock, fresh_s: float) -> None:
        self._cluster = cluster
        self._clock = clock
        self._fresh_s = fresh_s
        self._known: dict[tuple[str, CaBundleRef], tuple[float, Bundle]] = {}

    async def look(self, namespace: str, ref: CaBundleRef | None) -> Bundle:
        """Return the bundle that `ref` names in `namespace`. Raises `ClusterError`s."""
        if ref is None:
            return NONE
        fetched, known = self._known.get((namespace, ref), (0.0, NONE))
        if known is not NONE and self._clock.monotonic() - fetched < self._fresh_s:
            return known
        bundle = bundle_in(await self._cluster.get(ref.kind, namespace, ref.name), ref)
        if len(self._known) > KEPT:
            self._known.clear()
        if bundle.problem is None:
            self._known[namespace, ref] = (self._clock.monotonic(), bundle)
        return bundle
