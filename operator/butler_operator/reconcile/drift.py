"""Find where a live object differs from the desired one; defaults and other writers' fields are ignored.

Invariant: the `drift` between an object and the answer to its own apply is what no further apply can change (a
quantity in another spelling, a webhook's change); it is remembered and tolerated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["APPLIED_HASH", "applied_hash", "drift", "with_hash"]

APPLIED_HASH: Final = "butlers.dev/applied-hash"
"""Annotation on every child: hash of what was applied. It alone reveals a field that is no longer desired."""
_MERGE_KEYS: Final = ("name", "mountPath", "containerPort", "port", "topologyKey", "key", "type", "uid")
"""Keys that identify the entries of Kubernetes' lists of objects, most specific first."""


def with_hash(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest as it is applied: with its own hash."""
    metadata = dict(manifest["metadata"])
    metadata["annotations"] = {**(metadata.get("annotations") or {}), APPLIED_HASH: applied_hash(manifest)}
    return {**manifest, "metadata": metadata}


def applied_hash(manifest: Mapping[str, Any]) -> str:
    """Return the hash of a manifest, independent of the order of keys."""
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def drift(desired: Mapping[str, Any], live: Mapping[str, Any]) -> frozenset[str]:
    """Return the paths at which `live` lacks or contradicts `desired`."""
    return frozenset(_differences(desired, live, ""))


def _differences(desired: Any, live: Any, path: str) -> Iterator[str]:
    if isinstance(desired, Mapping):
        yield from _in_mapping(desired, live, path)
    elif _is_list(desired):
        yield from _in_list(desired, live, path)
    elif desired != live:
        yield path


def _in_mapping(desired: Mapping[str, Any], live: Any, path: str) -> Iterator[str]:
    if not isinstance(live, Mapping):
        # The API leaves out what is empty.
        if not (live is None and not desired):
            yield path
        return
    for key, wanted in desired.items():
        yield from _differences(wanted, live.get(key), f"{path}.{key}")


def _in_list(desired: Sequence[Any], live: Any, path: str) -> Iterator[str]:
    found = live if _is_list(live) else []
    if not desired and not found:
        return
    if not all(isinstance(entry, Mapping) for entry in desired):
        if list(desired) != list(found):
            yield path
        return
    for number, wanted in enumerate(desired):
        partner = _partner(wanted, number, found)
        yield from _differences(wanted, partner, f"{path}[{number}]")


def _partner(wanted: Mapping[str, Any], number: int, found: Sequence[Any]) -> Any:
    """Return the entry of `found` that matches `wanted`: of the same name, else at the same position."""
    for key in _MERGE_KEYS:
        if key in wanted:
            same = [entry for entry in found if isinstance(entry, Mapping) and entry.get(key) == wanted[key]]
            if len(same) == 1:
                return same[0]
    return found[number] if number < len(found) else None


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
