"""A foreign tool's arguments as a model is offered them: a closed, small schema of known words (pure).

Invariants: nothing is fetched, nothing refers elsewhere, no pattern of a stranger is ever run, size and depth are
bounded. What a schema says beyond that is left to its server, which judges its arguments itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, TypeGuard

from butler_kit.runtime.fence import plain

__all__ = ["MOST_BYTES", "UnfitSchema", "bounded_schema"]

MOST_BYTES: Final = 8_000
_DEPTH: Final = 6
_PARTS: Final = 200
_CHOICES: Final = 64
_WORDS: Final = 200
_LARGEST: Final = 10**18
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})
_NUMBERS: Final = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems",
)  # fmt: skip


class UnfitSchema(ValueError):
    """A schema that no model is offered; the text says why."""


def bounded_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` of an object, closed and bounded. Raises `UnfitSchema`."""
    if schema.get("type", "object") != "object":
        raise UnfitSchema("its arguments are no object")
    defs = {**_mapping(schema.get("definitions")), **_mapping(schema.get("$defs"))}
    closed = {**_Reader(defs).object_of(schema, _DEPTH), "additionalProperties": False}
    if len(json.dumps(closed, ensure_ascii=False).encode("utf-8", "replace")) > MOST_BYTES:
        raise UnfitSchema(f"its arguments take more than {MOST_BYTES} bytes to describe")
    return closed


class _Reader:
    """Reads one schema; how many parts it may have is counted, since a part may be named any number of times."""

    def __init__(self, defs: Mapping[str, Any]) -> None:
        self._defs = defs
        self._left = _PARTS

    def object_of(self, given: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = _mapping(given.get("properties"))
        for name in properties:
            if not isinstance(name, str) or _NAME.fullmatch(name) is None:
                raise UnfitSchema("an argument has a name that no model can write")
        wanted = given.get("required")
        named = [name for name in wanted if isinstance(name, str)] if _is_list(wanted) else []
        required = [name for name in dict.fromkeys(named) if name in properties]
        known = {name: self._part(one, depth - 1) for name, one in properties.items()}
        return {"type": "object", "properties": known, **({"required": required} if required else {})}

    def _part(self, given: object, depth: int) -> dict[str, Any]:
        """Any part of a schema; what is not understood is no constraint."""
        self._left -= 1
        if depth < 0 or self._left < 0:
            raise UnfitSchema(
                f"its arguments have more than {_PARTS} parts, or are nested more than {_DEPTH} deep"
            )
        if not isinstance(given, Mapping):
            return {}
        if isinstance(ref := given.get("$ref"), str):
            return self._part(self._defs.get(ref.rpartition("/")[2]), depth - 1)
        node = _scalars(given)
        if _is_list(either := given.get("anyOf") or given.get("oneOf")):
            node["anyOf"] = [self._part(one, depth - 1) for one in either]
        if isinstance(given.get("items"), Mapping):
            node["items"] = self._part(given["items"], depth - 1)
        if isinstance(given.get("properties"), Mapping):
            node |= self.object_of(given, depth)
        return node


def _scalars(given: Mapping[str, Any]) -> dict[str, Any]:
    node: dict[str, Any] = {}
    kinds = given.get("type")
    named = [
        kind for kind in (kinds if _is_list(kinds) else [kinds]) if isinstance(kind, str) and kind in _TYPES
    ]
    if named:
        node["type"] = list(dict.fromkeys(named)) if len(named) > 1 else named[0]
    if _is_list(choices := given.get("enum")):
        if len(choices) > _CHOICES or not all(_is_scalar(one) for one in choices):
            raise UnfitSchema(
                f"an argument has more than {_CHOICES} choices, or choices that are no plain values"
            )
        node["enum"] = list(choices)
    if "const" in given and _is_scalar(given["const"]):
        node["const"] = given["const"]
    node |= {name: given[name] for name in _NUMBERS if _is_number(given.get(name))}
    if isinstance(words := given.get("description"), str) and (said := plain(words, most=_WORDS)):
        node["description"] = said
    return node


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_scalar(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _WORDS
    return value is None or isinstance(value, bool) or _is_number(value)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and abs(value) < _LARGEST


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
