"""PURE: read an id as a person types it: whole, or its first digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from butler_cli.errors import UserError

__all__ = ["PREFIX_MIN", "beginning_with", "only_one", "read_id"]

PREFIX_MIN: Final = 8
_HEX: Final = frozenset("0123456789abcdef")


def read_id(text: str, *, expected: str) -> UUID | str:
    """Return the id that `text` is, or the digits that begin one. Raises `UserError` with `expected`."""
    typed = text.strip().lower()
    try:
        return UUID(typed)
    except ValueError:
        pass
    digits = typed.replace("-", "")
    if len(digits) < PREFIX_MIN or not set(digits) <= _HEX:
        raise UserError(f"{text[:60]!r} is {expected}")
    return digits


def beginning_with(digits: str, names: Iterable[str]) -> list[str]:
    """Return those of `names` that begin with `digits`, in their order."""
    return [name for name in names if name.replace("-", "").startswith(digits)]


def only_one(digits: str, text: str, names: Sequence[str], kind: str, hint: str, which: str) -> str:
    """Return the one of `names` that begins with `digits`. Raises `UserError` that quotes `text`."""
    found = beginning_with(digits, names)
    if len(found) == 1:
        return found[0]
    problem = f"{text!r} begins {len(found)} {kind}s" if found else f"no {kind} {which}begins with {text!r}"
    raise UserError(f"{problem}; {hint}")
