"""The one way to read what this household stored itself: tolerant of what a newer version added.

A request from outside forbids unknown fields, at every level, so that a typing mistake is named. A document of our own
may have been written by the next version, before a rollback or by a replica that is updated already: what this version
does not know is ignored, at every level. What is missing, or has a value that this version does not know, makes the
document `Unreadable`; whoever works on it ends it, and nothing waits for it.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from butler_contracts.errors import InternalFailure
from butler_contracts.problems import problems_of

__all__ = ["Unreadable", "stored"]

T = TypeVar("T")

_MOST_NAMED = 3
_adapters: dict[type[Any], TypeAdapter[Any]] = {}


class Unreadable(InternalFailure):
    """A stored document that this version cannot read; another version may."""


def stored(kind: type[T], document: object) -> T:
    """Read a stored `document` as a model, dataclass or enumeration; unknown fields are ignored at every level.

    Raises `Unreadable`.
    """
    try:
        return _adapter(kind).validate_python(document, extra="ignore")
    except ValidationError as error:
        problems = [f"{one.path} {one.problem}" for one in problems_of(error)[:_MOST_NAMED]]
        raise Unreadable(
            f"a stored {kind.__name__} cannot be read by this version: {'; '.join(problems)}"
        ) from error


def _adapter(kind: type[T]) -> TypeAdapter[T]:
    known = _adapters.get(kind)
    if known is None:
        known = _adapters[kind] = TypeAdapter(kind)
    return known
