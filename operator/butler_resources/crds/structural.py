"""Turns a pydantic model into a structural schema: what an API server stores, prunes, defaults and explains by.

Invariant: a construct that Kubernetes would refuse, drop or silently empty raises `SchemaError` here, with what to
write instead; nothing is passed on in the hope that the server ignores it. Rules: apiextensions-apiserver,
`pkg/apis/apiextensions/validation` and `pkg/apiserver/schema`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from pydantic import BaseModel

from butler_resources.crds.emitted import VALIDATIONS, emitted_schema, validation
from butler_resources.crds.limits import SchemaError, check_node
from butler_resources.crds.unions import flatten_tagged
from butler_resources.kinds.rules import Rule

__all__ = ["SchemaError", "for_people", "structural_schema"]

PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"
LIST_TYPE: Final = "x-kubernetes-list-type"
NOISE: Final = ("title", "examples", "$defs")
INT32_MAX: Final = 2**31 - 1
_REFERENCE = re.compile(r"\s*\((?:(?:[A-Z]{3}-\d+(?:\.\d+)*|D\d+)(?:, )?)+\)")
"""Requirement and decision ids: for readers of the code, not of `kubectl explain`."""

Node = dict[str, Any]


def structural_schema(model: type[BaseModel], *, without: Collection[str] = ()) -> Node:
    """The structural schema of `model`, `without` some of its own fields. Raises `SchemaError` naming the field."""
    emitted = emitted_schema(model)
    for name in without:
        del emitted["properties"][name]
    return _Converter(emitted.get("$defs", {})).node(emitted, model.__name__, ())


class _Converter:
    """Walks one emitted schema; `path` names the field, `seen` the models around it."""

    def __init__(self, definitions: Mapping[str, Node]) -> None:
        self._definitions = definitions

    def node(self, emitted: Node, path: str, seen: tuple[str, ...]) -> Node:
        source, seen = self._inlined(emitted, path, seen)
        result = {key: value for key, value in source.items() if key not in NOISE}
        _scalar_keywords(result, path)
        self._children(result, path, seen)
        _defaults(result)
        check_node(result, path)
        return _ordered(result)

    def _inlined(self, emitted: Node, path: str, seen: tuple[str, ...]) -> tuple[Node, tuple[str, ...]]:
        """The node with references, single-branch unions and optionals merged into it; siblings win."""
        node = dict(emitted)
        while True:
            if "$ref" in node:
                name = node.pop("$ref").rsplit("/", 1)[-1]
                if name in seen:
                    raise SchemaError(
                        path, f"{name} contains itself; use x-kubernetes-preserve-unknown-fields"
                    )
                seen = (*seen, name)
                node = self._definitions[name] | node
            elif "allOf" in node:
                (only,) = node.pop("allOf")
                node = only | node
            elif "anyOf" in node:
                node = _without_null(node, path)
            elif "oneOf" in node:
                branches = [self._inlined(branch, path, seen)[0] for branch in node.pop("oneOf")]
                node = flatten_tagged(branches, node, path)
            else:
                return node, seen

    def _children(self, node: Node, path: str, seen: tuple[str, ...]) -> None:
        if "properties" in node:
            required = node.get("required", [])
            node["properties"] = {
                name: self._property(child, f"{path}.{name}", seen, required=name in required)
                for name, child in node["properties"].items()
            }
            if node.get("additionalProperties") is False:
                del node["additionalProperties"]
        if "items" in node:
            node["items"] = self._described(node["items"], f"{path}[]", seen, "One entry of the list.")
        _map_keys(node)
        values = node.get("additionalProperties")
        if node.get(PRESERVE):
            node.pop("additionalProperties", None)
        elif isinstance(values, dict) and values:
            node["additionalProperties"] = self._described(values, f"{path}[*]", seen, "One value.")
        elif values is not None:
            raise SchemaError(
                path, f"values of any type would be emptied when stored; type them or set {PRESERVE}"
            )

    def _property(self, emitted: Node, path: str, seen: tuple[str, ...], *, required: bool) -> Node:
        child = self.node(emitted, path, seen)
        from_factory = not required and "default" not in emitted
        if from_factory and _has_defaults(child):
            child["default"] = {}
        return _ordered(child)

    def _described(self, emitted: Node, path: str, seen: tuple[str, ...], otherwise: str) -> Node:
        known, seen = self._inlined(emitted, path, seen)
        return self.node({"description": otherwise} | known, path, seen)


def _without_null(node: Node, path: str) -> Node:
    branches = [branch for branch in node.pop("anyOf") if branch.get("type") != "null"]
    if node.get("default", ...) is None:
        del node["default"]
    if len(branches) == 1:
        return {**branches[0], **node}
    if sorted(str(branch.get("type")) for branch in branches) == ["integer", "string"]:
        return {key: value for key, value in node.items() if key != "type"} | {INT_OR_STRING: True}
    raise SchemaError(path, "a union of types; use one type, a tagged union, or int with str")


def _scalar_keywords(node: Node, path: str) -> None:
    if "const" in node:
        node["enum"] = [node.pop("const")]
    for bound, flag in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if not isinstance(node.get(flag), bool) and flag in node:
            node[bound] = node[flag]
            node[flag] = True
    if node.pop("uniqueItems", False):
        node.setdefault(LIST_TYPE, "set")
    if "prefixItems" in node:
        raise SchemaError(path, "a tuple of different types; use an object with named fields")
    node.pop("discriminator", None)
    if "description" in node:
        plain = for_people(node["description"])
        node["description"] = f"Deprecated. {plain}" if node.pop("deprecated", False) else plain
    if node.get("type") == "integer" and "maximum" in node:
        node["format"] = "int32" if abs(node["maximum"]) <= INT32_MAX else "int64"


def for_people(text: str) -> str:
    """The text in one line, without references to requirements."""
    return " ".join(_REFERENCE.sub("", inspect.cleandoc(text)).split())


def _map_keys(node: Node) -> None:
    """`patternProperties` and `propertyNames` become a typed map and a rule on its keys."""
    rules: list[Rule] = []
    if "patternProperties" in node:
        ((pattern, values),) = node.pop("patternProperties").items()
        node["additionalProperties"] = values
        rules.append(
            _key_rule(f"key.matches('{pattern}')", f"keys have the form {pattern}; use one of that form")
        )
    names = node.pop("propertyNames", {})
    if "maxLength" in names:
        longest = names["maxLength"]
        said = f"keys have at most {longest} characters; use a shorter one"
        rules.append(_key_rule(f"key.size() <= {longest}", said))
    if rules:
        node[VALIDATIONS] = [*node.get(VALIDATIONS, []), *(validation(rule) for rule in rules)]


def _key_rule(condition: str, message: str) -> Rule:
    return Rule(cel=f"self.all(key, {condition})", message=message)


def _defaults(node: Node) -> None:
    """Only a default that says something is written out: an empty one would be noise in every stored object.

    In a status it would be worse: the server would add it to what the operator wrote, who would see a difference.
    """
    if node.get("default", ...) in (None, [], {}, ""):
        del node["default"]


def _has_defaults(node: Node) -> bool:
    return any("default" in child for child in node.get("properties", {}).values())


ORDER: Final = ("type", "description", "default", "enum", "format", "pattern", "minimum", "maximum")


def _ordered(node: Node) -> Node:
    """Keys in the order in which a person reads them, then by name; `properties` in the model's order."""
    first = {key: node[key] for key in ORDER if key in node}
    rest = {key: node[key] for key in sorted(node) if key not in first}
    return first | rest
