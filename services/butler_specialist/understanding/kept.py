"""Caches what is found in a text: several readers look for the same in a clause."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

__all__ = ["kept"]

P = ParamSpec("P")
T = TypeVar("T")

_TEXTS: Final = 256
_CHARS: Final = 1_000
"""The longest text that is cached: as long as a sentence may be."""


def kept(find: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Return the function with a cache of the last short texts.

    It must depend on nothing but its arguments.
    """
    known = lru_cache(maxsize=_TEXTS)(find)

    @wraps(find)
    def found(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(text) > _CHARS:
            return find(text, *args, **kwargs)
        return known(text, *args, **kwargs)  # type: ignore[arg-type]  # all that is given is hashable

    return found
