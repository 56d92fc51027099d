"""A cache of every object as last reported by a watch or returned by our own writes; reads cost no API call.

Invariant: the later of two versions of an object wins, whichever way it came, so that a reconcile right after a write
does not write again. Versions are compared as numbers, as Kubernetes ≥ 1.35 allows for its own resources.

Bodies are kept small. Custom resources, Deployments and pods, which are read all the time, have no managed fields, and
each string that they have in common exists once. Every other object is kept packed and unpacked for whoever reads it;
what is asked of all objects at once (versions, uids, parents) is kept beside it.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_operator.reconcile.key import Key, is_own, parent_of

__all__ = ["WORKLOAD", "Observed"]

Body = dict[str, Any]
_Id = tuple[str, str, str]
WORKLOAD: Final = frozenset({"Deployment", "Pod"})
"""The kinds of children that are looked at with every event and every beat."""
_SHARED_MAX: Final = 200
"""Longer strings are not shared between objects."""
_LEVEL: Final = 1
"""Of compression: half the size at a fraction of the time."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """One object; `held` is its body, or that packed."""

    uid: str
    version: int
    parent: Key | None
    held: Body | bytes

    @property
    def body(self) -> Body:
        return _unpacked(self.held) if isinstance(self.held, bytes) else self.held


class Observed:
    """Custom resources by key, children and pods by the key they belong to.

    What it returns is for reading only: of a packed object, each call has a copy of its own.
    """

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], dict[str, _Kept]] = {}
        """By kind and namespace, then by name, so that a lookup of one kind never scans the others."""
        self._children: dict[Key, set[_Id]] = {}
        self._gone: dict[_Id, int] = {}

    def put(self, body: Mapping[str, Any]) -> bool:
        """Record an object; return False if a later version is known."""
        ident = _ident(body)
        version = _version(body)
        known = self._known(ident)
        if known is not None and known.version > version:
            return False
        if self._gone.get(ident, -1) >= version:
            return False
        self._gone.pop(ident, None)
        if known is not None:
            self._unlink(ident, known)
        kept = _kept(body, version)
        self._objects.setdefault(ident[:2], {})[ident[2]] = kept
        if kept.parent is not None:
            self._children.setdefault(kept.parent, set()).add(ident)
        return True

    def drop(self, body: Mapping[str, Any]) -> None:
        """Forget a deleted object, unless another of that name has come since."""
        ident = _ident(body)
        known = self._known(ident)
        if known is not None and known.uid == _uid(body):
            self._unlink(ident, known)
            del self._objects[ident[:2]][ident[2]]
        # A late response to our own write must not bring it back.
        self._gone[ident] = _version(body)
        while len(self._gone) > 10_000:
            self._gone.pop(next(iter(self._gone)))

    def forget(self, namespace: str) -> None:
        """Forget everything in a namespace, as if it had never been seen."""
        for known in [known for known in self._objects if known[1] == namespace]:
            del self._objects[known]
        for key in [key for key in self._children if key.namespace == namespace]:
            del self._children[key]
        for ident in [ident for ident in self._gone if ident[1] == namespace]:
            del self._gone[ident]

    def get(self, kind: str, namespace: str, name: str) -> Body | None:
        known = self._known((kind, namespace, name))
        return None if known is None else known.body

    def resource(self, key: Key) -> Body | None:
        """The custom resource of a key."""
        return self.get(key.kind, key.namespace, key.name)

    def children(self, key: Key, kinds: Collection[str] | None = None) -> list[Body]:
        """Every object that says it belongs to `key`, pods too; only those of `kinds`, if they are given."""
        return [
            self._objects[kind, where][name].body
            for kind, where, name in sorted(self._children.get(key, ()))
            if kinds is None or kind in kinds
        ]

    def of_kind(self, kind: str, namespace: str | None = None) -> Iterator[Body]:
        """All objects of a kind, in a namespace or everywhere."""
        wheres = sorted(where for known, where in self._objects if known == kind)
        for where in wheres if namespace is None else [namespace]:
            for _, kept in self._of(kind, where):
                yield kept.body

    def namespaces(self) -> list[str]:
        """Return the namespaces in which anything was seen."""
        return sorted({namespace for (_, namespace), found in self._objects.items() if found})

    def uids(self, kind: str, namespace: str) -> dict[str, str]:
        """Return name → uid of the objects known now; taken before a listing, for `missed`."""
        return {name: kept.uid for name, kept in self._of(kind, namespace)}

    def missed(
        self, kind: str, namespace: str, listed: Iterable[Mapping[str, Any]], before: Mapping[str, str]
    ) -> tuple[list[Body], list[Body]]:
        """Return what a complete listing adds: new or later objects, and those of `before` that are gone."""
        bodies = [dict(body) for body in listed]
        names = {body["metadata"]["name"] for body in bodies}
        later = [body for body in bodies if self._is_news(body)]
        gone = [
            kept.body
            for name, kept in self._of(kind, namespace)
            if name not in names and before.get(name) == kept.uid
        ]
        return later, gone

    def _is_news(self, body: Mapping[str, Any]) -> bool:
        ident, version = _ident(body), _version(body)
        known = self._known(ident)
        return self._gone.get(ident, -1) < version and (known is None or known.version < version)

    def _of(self, kind: str, namespace: str) -> list[tuple[str, _Kept]]:
        return sorted(self._objects.get((kind, namespace), {}).items(), key=lambda one: one[0])

    def _known(self, ident: _Id) -> _Kept | None:
        return self._objects.get(ident[:2], {}).get(ident[2])

    def _unlink(self, ident: _Id, known: _Kept) -> None:
        if known.parent is None:
            return
        siblings = self._children.get(known.parent)
        if siblings is not None:
            siblings.discard(ident)
            if not siblings:
                del self._children[known.parent]


def _ident(body: Mapping[str, Any]) -> _Id:
    metadata = body["metadata"]
    return body["kind"], metadata.get("namespace") or "", metadata["name"]


def _uid(body: Mapping[str, Any]) -> str:
    return str(body["metadata"].get("uid", ""))


def _version(body: Mapping[str, Any]) -> int:
    version = str(body["metadata"].get("resourceVersion") or "0")
    return int(version) if version.isdecimal() else 0


def _kept(body: Mapping[str, Any], version: int) -> _Kept:
    kind = body["kind"]
    trimmed = _trimmed(body)
    parent = None if is_own(kind) else parent_of(trimmed)
    held = trimmed if is_own(kind) or kind in WORKLOAD else _packed(trimmed)
    return _Kept(_uid(body), version, parent, held)


def _packed(body: Body) -> bytes:
    return zlib.compress(json.dumps(body, separators=(",", ":")).encode("ascii"), _LEVEL)


def _unpacked(held: bytes) -> Body:
    body: Body = json.loads(zlib.decompress(held))
    return body


def _trimmed(body: Mapping[str, Any]) -> Body:
    metadata = {name: value for name, value in body["metadata"].items() if name != "managedFields"}
    kept: Body = _shared({**body, "metadata": metadata})
    return kept


def _shared(value: Any) -> Any:
    """Return a copy that shares its keys and short strings with every other object."""
    if isinstance(value, Mapping):
        return {sys.intern(str(key)): _shared(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_shared(entry) for entry in value]
    # Only plain strings can be shared.
    return sys.intern(value) if type(value) is str and len(value) <= _SHARED_MAX else value
