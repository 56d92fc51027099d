"""Bounds on free-form JSON inside envelopes: the provider's own payload, results, tracing metadata.

Invariant: what passes can be written as `jsonb` and read back the same: no NUL, NaN, Infinity, lone
surrogate, over-long number or bottomless nesting, in values or keys, nor more bytes than its bound (D15).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, NamedTuple
from uuid import UUID

from pydantic import AfterValidator, Field, ValidationInfo

from butler_contracts.base import document_bytes, rule_broken
from butler_contracts.text import STORABLE, excerpt, text_fault

RAW_MAX_BYTES: Final = 256 * 1024
"""Size of `payload.raw` as compact UTF-8 JSON; beyond it a connector sends references and cut text (D15)."""
RESULT_MAX_BYTES: Final = 256 * 1024
CAPABILITIES_MAX_BYTES: Final = 8 * 1024
DEPTH_MAX: Final = 48
NODES_MAX: Final = 50_000
PATH_MAX: Final = 200
_QUICK_WIDTH: Final = 1_000
_TEXT: Final = frozenset({str})
_HARMLESS: Final = frozenset({str, bool, type(None)})
INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**64 - 1


@dataclass(frozen=True)
class JsonFault:
    """Where a JSON value cannot be accepted, what is wrong there, and what would be right."""

    path: str
    problem: str
    expected: str


@dataclass(frozen=True)
class Refused:
    """Stands in a decoded tree for what the decoder refused: a duplicate key, NaN, an endless number."""

    problem: str
    expected: str


class _Place(NamedTuple):
    """A node's way to the root, written out only when there is a fault to report."""

    parent: _Place | None
    key: object

    def render(self) -> str:
        keys: list[object] = []
        here: _Place | None = self
        while here is not None and here.parent is not None:
            keys.append(here.key)
            here = here.parent
        path = ""
        for key in reversed(keys):
            path = child_path(path, key)
        return path if len(path) <= PATH_MAX else path[: PATH_MAX - 1] + "…"


def child_path(path: str, key: object) -> str:
    """`payload` + `raw` → `payload.raw`; `items` + 0 → `items[0]`; the root has the empty path."""
    if isinstance(key, int):
        return f"{path}[{excerpt(key, limit=20)}]"
    shown = excerpt(key, limit=40)
    return f"{path}.{shown}" if path else shown


def checked_copy(value: object) -> tuple[object, JsonFault | None]:
    """A plain copy of a JSON tree and its first fault; walks without recursion, so no depth can hurt.

    Ids and moments become text, as they are on the wire. Anything else that JSON has no form for is a fault.
    """
    top: list[Any] = [None]
    stack: list[tuple[_Place, Any, int, Any]] = [(_Place(None, 0), value, 0, top)]
    nodes = 0
    while stack:
        place, item, depth, owner = stack.pop()
        mapping = isinstance(item, Mapping)
        if not mapping and not isinstance(item, list | tuple):
            leaf = (
                str(item)
                if isinstance(item, UUID)
                else item.isoformat()
                if isinstance(item, datetime)
                else item
            )
            if found := scalar_fault(leaf):
                return None, JsonFault(place.render(), *found)
            owner[place.key] = leaf
            continue
        nodes += len(item)
        if nodes > NODES_MAX:
            return None, JsonFault("", f"has more than {NODES_MAX} values", "a smaller document")
        if depth >= DEPTH_MAX:
            return None, JsonFault(place.render(), "is nested too deeply", f"at most {DEPTH_MAX} levels")
        if mapping and (fault := _key_fault(place, item)):
            return None, fault
        copy: Any = dict.fromkeys(item) if mapping else [None] * len(item)
        owner[place.key] = copy
        inner: list[tuple[_Place, Any, int, Any]] = []
        for key, child in item.items() if mapping else enumerate(item):
            if type(child) is str and text_fault(child) is None:
                copy[key] = child
            elif child is not None:
                inner.append((_Place(place, key), child, depth + 1, copy))
        stack.extend(reversed(inner))
    return top[0], None


def has_no_fault(value: dict[Any, Any] | list[Any], depth: int = 0) -> bool:
    """Whether a tree surely needs no checked copy: plain JSON types, text keys, numbers in bounds, few and shallow.

    The quick way for what a JSON decoder made of ordinary input. It reads no text: NUL and surrogates show in the
    encoded document. False only means that `checked_copy` has to look.
    """
    if depth >= DEPTH_MAX or len(value) > _QUICK_WIDTH:
        return False
    children: Any = value
    if type(value) is dict:
        if not _TEXT.issuperset(map(type, value)):
            return False
        children = value.values()
    for child in children:
        kind = type(child)
        if kind in _HARMLESS:
            continue
        if kind is dict or kind is list:
            if not has_no_fault(child, depth + 1):
                return False
        elif (kind is not int and kind is not float) or scalar_fault(child) is not None:
            return False
    return True


def scalar_fault(value: object) -> tuple[str, str] | None:
    """What is wrong with one leaf of JSON, as (problem, expected)."""
    if isinstance(value, str):
        fault = text_fault(value)
        return (fault, "text without it") if fault else None
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        inside = INT_MIN <= value <= INT_MAX
        return None if inside else ("is a number of more than 64 bits", "a 64-bit integer, or text")
    if isinstance(value, float):
        return None if math.isfinite(value) else ("is NaN or infinite", "a finite number")
    if isinstance(value, Refused):
        return (value.problem, value.expected)
    return (f"is a {excerpt(type(value).__name__)}", "a JSON value")


def _key_fault(place: _Place, item: Mapping[Any, Any]) -> JsonFault | None:
    for key in item:
        if not isinstance(key, str):
            path = child_path(place.render(), excerpt(key))
            return JsonFault(path, "has a key that is not text", "text keys")
        fault = text_fault(key)
        if fault:
            return JsonFault(child_path(place.render(), key), f"has a key that {fault}", "keys without it")
    return None


def json_size(value: object) -> int:
    """Bytes of a value as compact UTF-8 JSON, the measure of every size bound here."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def _bounded(limit: int) -> Callable[[dict[str, Any], ValidationInfo], dict[str, Any]]:
    def check(value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        whole = document_bytes(info)
        if whole is None:
            _, fault = checked_copy(value)
            if fault:
                raise rule_broken(fault.path, fault.problem, fault.expected)
        elif whole <= limit:
            return value
        size = json_size(value)
        if size > limit:
            raise rule_broken("", f"is {size} bytes as JSON", f"at most {limit} bytes")
        return value

    return check


RawPayload = Annotated[dict[str, Any], AfterValidator(_bounded(RAW_MAX_BYTES))]
ResultObject = Annotated[dict[str, Any], AfterValidator(_bounded(RESULT_MAX_BYTES))]
Capabilities = Annotated[dict[str, Any], AfterValidator(_bounded(CAPABILITIES_MAX_BYTES))]

TraceContext = Annotated[
    dict[
        Annotated[str, Field(min_length=1, max_length=64), STORABLE],
        Annotated[str, Field(max_length=512), STORABLE],
    ],
    Field(max_length=16),
]
"""W3C trace context as text pairs: at most 16, values of at most 512 characters."""
