"""What is found in a text, kept for the next who asks: several ways of understanding look for the same in a clause."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

__all__ = ["kept"]

P = ParamSpec("P")
T = TypeVar("T")

_TEXTS: Final = 256
_CHARS: Final = 1_000
"""As long as a sentence may be; a longer text is not kept."""


def kept(find: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """The same function of a text, which depends on nothing else: asked once for each of the last short texts."""
    known = lru_cache(maxsize=_TEXTS)(find)

    @wraps(find)
    def found(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(text) > _CHARS:
            return find(text, *args, **kwargs)
        return known(text, *args, **kwargs)  # type: ignore[arg-type]  # all that is given is hashable

    return found
