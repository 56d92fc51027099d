"""How a field becomes a setting of a service: absent until somebody writes it, its default named in words.

Invariant: a manifest holds no second copy of a service's default. What is not written is not rendered, and the
service decides; `kubectl explain` names what it will decide, and a test compares the words with the service (D76).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field

__all__ = ["DEFAULT", "in_words", "setting", "toml_key"]

DEFAULT: Final = "Default: "


def in_words(value: object) -> str:
    """A default as a description says it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} as {' then '.join(map(str, tried))}" for key, tried in value.items())
    if isinstance(value, tuple):
        return ", ".join(map(in_words, value))
    return str(value)


def setting(description: str, *, default: object, **bounds: Any) -> Any:
    """A field that may be left out; `default` is only told, `bounds` are those of `pydantic.Field`."""
    told = f"{description} {DEFAULT}{in_words(default)}."
    return Field(default=None, description=told, **bounds)


def toml_key(field: str) -> str:
    """The key of `butler.toml` that a field becomes; seconds are `_s` there."""
    return f"{field.removesuffix('_seconds')}_s" if field.endswith("_seconds") else field
