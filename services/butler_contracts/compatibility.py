"""PURE: what a change of an envelope's schema breaks, and whether a new version is explained (SWB-15.4).

A change that breaks somebody is a new version with a model of its own; what is listed here may not happen under the old
one. What an envelope means is not in its schema: that stays a matter of review.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

__all__ = ["breaks", "unexplained"]

Schema = Mapping[str, Any]

_AT_MOST: Final = ("maxLength", "maxItems", "maximum", "exclusiveMaximum", "maxProperties")
_AT_LEAST: Final = ("minLength", "minItems", "minimum", "exclusiveMinimum", "minProperties")
_SAME: Final = ("pattern", "format", "const")
_VERSION: Final = re.compile(r"(?P<family>[a-z_.]+)\.v(?P<number>[0-9]+)")


def breaks(old: Schema, new: Schema) -> list[str]:
    """What a sender of `old` could say and a reader of `new` refuses, by path; empty for an additive change."""
    return [f"{path or 'envelope'}: {what}" for path, what in _breaks(_At(old, old), _At(new, new), "")]


def unexplained(versions: Iterable[str], changelog: str) -> list[str]:
    """The versions that replaced another without a paragraph of the changelog that names both."""
    paragraphs = changelog.split("\n\n")
    found = []
    for version in sorted(versions):
        known = _VERSION.fullmatch(version)
        if known is None or int(known["number"]) == 1:
            continue
        former = f"{known['family']}.v{int(known['number']) - 1}"
        if not any(version in paragraph and former in paragraph for paragraph in paragraphs):
            found.append(
                f"{version} replaces {former}, and no paragraph of the changelog says what senders change"
            )
    return found


class _At:
    """A place in a document, with what `$ref` there leads to."""

    def __init__(self, root: Schema, part: Schema) -> None:
        self.root = root
        self.part: Schema = part
        while "$ref" in self.part:
            self.part = root["$defs"][self.part["$ref"].rpartition("/")[2]]

    def below(self, part: Schema) -> _At:
        return _At(self.root, part)

    @property
    def choices(self) -> list[_At]:
        return [self.below(each) for each in (self.part.get("anyOf") or self.part.get("oneOf") or [])]


def _breaks(old: _At, new: _At, path: str) -> Iterator[tuple[str, str]]:
    if old.choices or new.choices:
        now = new.choices or [new]
        for choice in old.choices or [old]:
            if not any(not list(_breaks(choice, other, path)) for other in now):
                yield path, "takes less than before"
        return
    yield from ((path, what) for what in _narrower(old.part, new.part))
    before, after = old.part.get("properties", {}), new.part.get("properties", {})
    required = set(new.part.get("required", ())) - set(old.part.get("required", ()))
    yield from ((_join(path, name), "is required now") for name in sorted(required))
    for name, field in before.items():
        if name in after:
            yield from _breaks(old.below(field), new.below(after[name]), _join(path, name))
        else:
            yield _join(path, name), "is gone"
    if "items" in old.part and "items" in new.part:
        yield from _breaks(old.below(old.part["items"]), new.below(new.part["items"]), f"{path}[]")


def _narrower(old: Schema, new: Schema) -> Iterator[str]:
    if (kind := new.get("type")) is not None and kind != old.get("type"):
        yield f"is {kind} now"
    if "enum" in new and (gone := _taken(old) - set(map(str, new["enum"]))):
        yield f"no longer takes {', '.join(sorted(gone))}"
    yield from (f"has another {key}" for key in _SAME if key in new and new[key] != old.get(key))
    yield from (
        f"has a lower {key}" for key in _AT_MOST if key in new and new[key] < old.get(key, float("inf"))
    )
    yield from (f"has a higher {key}" for key in _AT_LEAST if key in new and new[key] > old.get(key, 0))
    if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
        yield "takes no further fields now"


def _taken(schema: Schema) -> set[str]:
    """The values that it names; one value alone is a `const`."""
    named = [schema["const"]] if "const" in schema else schema.get("enum", ["anything"])
    return set(map(str, named))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
