"""A cache of every object as last reported by a watch or returned by our own writes; reads cost no API call.

Invariant: the later of two versions of an object wins, whichever way it came, so that a reconcile right after a write
does not write again. Versions are compared as numbers, as Kubernetes ≥ 1.35 allows for its own resources.
Bodies are kept small: no managed fields, and each string that objects have in common exists once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from butler_operator.reconcile.key import Key, is_own, parent_of

__all__ = ["Observed"]

Body = dict[str, Any]
_Id = tuple[str, str, str]
_SHARED_MAX: Final = 200
"""Longer strings are not shared between objects."""


class Observed:
    """Custom resources by key, children and pods by the key they belong to."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], dict[str, Body]] = {}
        """By kind and namespace, then by name, so that a lookup of one kind never scans the others."""
        self._children: dict[Key, set[_Id]] = {}
        self._gone: dict[_Id, int] = {}

    def put(self, body: Mapping[str, Any]) -> bool:
        """Record an object; return False if a later version is known."""
        ident = _ident(body)
        version = _version(body)
        known = self._known(ident)
        if known is not None and _version(known) > version:
            return False
        if self._gone.get(ident, -1) >= version:
            return False
        self._gone.pop(ident, None)
        if known is not None:
            self._unlink(ident, known)
        kept = _trimmed(body)
        self._objects.setdefault(ident[:2], {})[ident[2]] = kept
        if not is_own(kept["kind"]):
            self._children.setdefault(parent_of(kept), set()).add(ident)
        return True

    def drop(self, body: Mapping[str, Any]) -> None:
        """Forget a deleted object, unless another of that name has come since."""
        ident = _ident(body)
        known = self._known(ident)
        if known is not None and known["metadata"].get("uid") == body["metadata"].get("uid"):
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
        return self._known((kind, namespace, name))

    def resource(self, key: Key) -> Body | None:
        """The custom resource of a key."""
        return self._known((key.kind, key.namespace, key.name))

    def children(self, key: Key) -> list[Body]:
        """Every object that says it belongs to `key`, pods too."""
        return [self._objects[kind, where][name] for kind, where, name in sorted(self._children.get(key, ()))]

    def of_kind(self, kind: str, namespace: str | None = None) -> Iterator[Body]:
        """All objects of a kind, in a namespace or everywhere."""
        wheres = sorted(where for known, where in self._objects if known == kind)
        for where in wheres if namespace is None else [namespace]:
            for _, body in sorted(self._objects.get((kind, where), {}).items()):
                yield body

    def namespaces(self) -> list[str]:
        """Return the namespaces in which anything was seen."""
        return sorted({namespace for (_, namespace), found in self._objects.items() if found})

    def uids(self, kind: str, namespace: str) -> dict[str, str]:
        """Return name → uid of the objects known now; taken before a listing, for `missed`."""
        return {
            body["metadata"]["name"]: body["metadata"].get("uid", "")
            for body in self.of_kind(kind, namespace)
        }

    def missed(
        self, kind: str, namespace: str, listed: Iterable[Mapping[str, Any]], before: Mapping[str, str]
    ) -> tuple[list[Body], list[Body]]:
        """Return what a complete listing adds: new or later objects, and those of `before` that are gone."""
        bodies = [dict(body) for body in listed]
        names = {body["metadata"]["name"] for body in bodies}
        later = [body for body in bodies if self._is_news(body)]
        gone = [
            body
            for body in self.of_kind(kind, namespace)
            if body["metadata"]["name"] not in names
            and before.get(body["metadata"]["name"]) == body["metadata"].get("uid", "")
        ]
        return later, gone

    def _is_news(self, body: Mapping[str, Any]) -> bool:
        ident, version = _ident(body), _version(body)
        known = self._known(ident)
        return self._gone.get(ident, -1) < version and (known is None or _version(known) < version)

    def _known(self, ident: _Id) -> Body | None:
        return self._objects.get(ident[:2], {}).get(ident[2])

    def _unlink(self, ident: _Id, known: Body) -> None:
        parent = parent_of(known)
        siblings = self._children.get(parent)
        if siblings is not None:
            siblings.discard(ident)
            if not siblings:
                del self._children[parent]


def _ident(body: Mapping[str, Any]) -> _Id:
    metadata = body["metadata"]
    return body["kind"], metadata.get("namespace") or "", metadata["name"]


def _version(body: Mapping[str, Any]) -> int:
    version = str(body["metadata"].get("resourceVersion") or "0")
    return int(version) if version.isdecimal() else 0


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
