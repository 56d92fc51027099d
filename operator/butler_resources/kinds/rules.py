"""A rule between fields, said once for both judges: CEL on the API server, Python in reconcile and locally.

Invariant: both judges give the same message, and the message says what to change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Rule", "optional_unchanged", "unchanged"]


@dataclass(frozen=True)
class Rule:
    """What must hold for one model.

    `cel` is evaluated with `self` = the object that the model describes (camelCase keys, defaults applied);
    `holds` gets the model. Without `holds` only the cluster can judge: the rule compares with the stored object.
    `path` is the field, relative to the model, at which the API server reports the refusal (`.role`).
    """

    cel: str
    message: str
    holds: Callable[[Any], bool] | None = None
    path: str = ""


def unchanged(field: str, advice: str) -> Rule:
    """`field`, always present, keeps its value for the life of the object."""
    return Rule(
        cel=f"self.{field} == oldSelf.{field}", message=f"`{field}` is immutable; {advice}", path=f".{field}"
    )


def optional_unchanged(field: str, advice: str) -> Rule:
    """`field`, which may be absent, stays as it was, absence included."""
    return Rule(
        cel=f"has(self.{field}) == has(oldSelf.{field}) && "
        f"(!has(self.{field}) || self.{field} == oldSelf.{field})",
        message=f"`{field}` is immutable; {advice}",
        path=f".{field}",
    )
