"""Keys name one object of one kind. They carry no event, so losing or doubling one is harmless."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_resources.kinds.names import KIND_LABEL, KINDS, NAME_LABEL

__all__ = ["HOUSEHOLD", "ROLLUPS", "Key", "is_own", "parent_of"]

HOUSEHOLD: Final = "Household"
"""The kind of the key for what a namespace has once: policies, trust, Switchboard's signing key."""
ROLLUPS: Final = "Rollups"
"""The kind of the key for a household's statistics: schedules, runs, progress."""
_OWN: Final = frozenset(names.kind for names in KINDS)


@dataclass(frozen=True, order=True)
class Key:
    """Kind, namespace and name; `str()` gives the form used in logs and metrics."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}"

    @classmethod
    def household(cls, namespace: str) -> Key:
        """The key of a namespace's shared objects."""
        return cls(HOUSEHOLD, namespace, namespace)

    @classmethod
    def rollups(cls, namespace: str) -> Key:
        """The key of a household's statistics; its objects and pods name it in their labels."""
        return cls(ROLLUPS, namespace, "rollups")

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Key:
        """Return the key of a custom resource's API object."""
        metadata = body["metadata"]
        return cls(body["kind"], metadata["namespace"], metadata["name"])


def is_own(kind: str) -> bool:
    """Whether a kind is one of our custom resources, and so nobody's child."""
    return kind in _OWN


def parent_of(child: Mapping[str, Any]) -> Key:
    """Return a child's parent by its labels, else its controller; without both, the household."""
    metadata = child["metadata"]
    labels = metadata.get("labels") or {}
    kind, name = labels.get(KIND_LABEL), labels.get(NAME_LABEL)
    if kind and name:
        return Key(kind, metadata["namespace"], name)
    for reference in metadata.get("ownerReferences") or ():
        if reference.get("controller") and is_own(reference["kind"]):
            return Key(reference["kind"], metadata["namespace"], reference["name"])
    return Key.household(metadata["namespace"])
