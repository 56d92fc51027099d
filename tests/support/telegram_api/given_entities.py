"""Entities that a bot sends with a text: https://core.telegram.org/bots/api#messageentity, #formatting-options.

The public server mends or drops what breaks these rules; here it is refused, so that a test sees who breaks them.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any
from urllib.parse import urlsplit

from .errors import bad_request
from .parameters import Parameters

__all__ = ["given_entities"]

_MOST = 100
_CODE = frozenset({"code", "pre"})
_EMPHASIS = frozenset({"bold", "italic", "underline", "strikethrough", "spoiler"})
_QUOTES = frozenset({"blockquote", "expandable_blockquote"})
_TYPES = _CODE | _EMPHASIS | _QUOTES | {"text_link"}


def given_entities(parameters: Parameters, text: str, name: str = "entities") -> list[dict[str, Any]]:
    """Those of the parameter `name`: of known types, within the text, at whole characters, and nested as said."""
    given = parameters.structured(name)
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > _MOST or not all(isinstance(one, dict) for one in given):
        raise bad_request("can't parse entities: expected an Array of at most 100 MessageEntity")
    boundaries = _boundaries(text)
    for one in given:
        _check(one, boundaries)
    for one, other in combinations(given, 2):
        _check_pair(one, other)
    return given


def _boundaries(text: str) -> set[int]:
    """The UTF-16 offsets at which a character begins or the text ends."""
    offsets, at = {0}, 0
    for char in text:
        at += 2 if ord(char) > 0xFFFF else 1
        offsets.add(at)
    return offsets


def _check(one: dict[str, Any], boundaries: set[int]) -> None:
    if one.get("type") not in _TYPES:
        raise bad_request("can't parse entities: unsupported entity type specified")
    offset, length = one.get("offset"), one.get("length")
    if not isinstance(offset, int) or not isinstance(length, int) or length <= 0:
        raise bad_request("can't parse entities: offset and length must be Numbers")
    if offset not in boundaries or offset + length not in boundaries:
        raise bad_request("ENTITY_BOUNDS_INVALID")
    address = urlsplit(str(one.get("url") or ""))
    if one["type"] == "text_link" and (address.scheme not in {"http", "https"} or "." not in address.netloc):
        raise bad_request("can't parse entities: wrong URL")


def _check_pair(one: dict[str, Any], other: dict[str, Any]) -> None:
    """ "Either one contains another, or they have no characters in common"; what may contain what is by type."""
    inner, outer = sorted((one, other), key=lambda entity: int(entity["length"]))
    start, end = inner["offset"], inner["offset"] + inner["length"]
    first, last = outer["offset"], outer["offset"] + outer["length"]
    if end <= first or last <= start:
        return
    nested = first <= start and end <= last
    types = (inner["type"], outer["type"])
    emphasised = types[0] != types[1] and not _CODE & set(types) and _EMPHASIS & set(types)
    quoted = types[1] in _QUOTES and types[0] not in _QUOTES
    if not nested or not (emphasised or quoted):
        raise bad_request(f"can't parse entities: {types[0]} and {types[1]} overlap")
