"""Maps of a manifest whose keys end up on objects of Kubernetes: of its form, and none of ours."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import StringConstraints
from pydantic.alias_generators import to_camel

from butler_resources.kinds.rules import Rule
from butler_resources.kinds.scheduling import LabelKey, LabelValue

__all__ = ["OURS", "UNSAFE", "Annotations", "Labels", "keys_formed", "keys_free"]

OURS: Final = ("app.kubernetes.io/", "butlers.dev/", "operator.butlers.dev/", "pod-template-hash")
"""Keys of labels and annotations that the operator and Kubernetes write."""
UNSAFE: Final = (
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "seccomp.security.alpha.kubernetes.io/",
)
"""Annotations that once switched profiles off, and still may on an older node."""
_QUALIFIED: Final = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
)
Labels = dict[LabelKey, LabelValue]
Annotations = dict[LabelKey, Annotated[str, StringConstraints(max_length=4000)]]


def keys_free(field: str, prefixes: tuple[str, ...]) -> Rule:
    """No key of the map `field` begins like one of ours."""
    name = to_camel(field)
    begins = " || ".join(f"key.startsWith('{prefix}')" for prefix in prefixes)
    return Rule(
        cel=f"!has(self.{name}) || !self.{name}.exists(key, {begins})",
        message=f"`{name}` has a reserved key; choose one that does not start with {', '.join(prefixes)}",
        holds=lambda pod: not any(key.startswith(prefixes) for key in getattr(pod, field) or {}),
        path=f".{name}",
    )


def keys_formed(field: str) -> Rule:
    """Every key of the map `field` is one that Kubernetes takes."""
    name = to_camel(field)
    return Rule(
        cel=f"!has(self.{name}) || self.{name}.all(key, !format.qualifiedName().validate(key).hasValue())",
        message=f"`{name}` has an invalid key; expected `name` or `domain/name`",
        holds=lambda pod: all(re.search(_QUALIFIED, key) for key in getattr(pod, field) or {}),
        path=f".{name}",
    )
