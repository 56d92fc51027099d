"""What every node of a schema must have: a description, bounds, and only keywords that the API server knows.

Bounds are not decoration: without them the estimated cost of a rule exceeds the server's budget, and one object
may fill etcd.
"""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["SchemaError", "check_node"]

Node = dict[str, Any]

KNOWN: Final = frozenset(
    {
        "additionalProperties", "default", "description", "enum", "exclusiveMaximum", "exclusiveMinimum", "format",
        "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties",
        "minimum", "multipleOf", "nullable", "pattern", "properties", "required", "type", "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
    }
)  # fmt: skip
FORMATS: Final = frozenset({"date", "date-time", "int32", "int64", "uuid"})
"""Those that mean the same to pydantic and to the API server; `duration`, for one, does not."""
_LOOK_AROUND = re.compile(r"\(\?(=|!|<=|<!)")


class SchemaError(ValueError):
    """A model says something that a structural schema cannot; names the field and what to write instead."""

    def __init__(self, path: str, advice: str) -> None:
        super().__init__(f"{path}: {advice}")


def check_node(node: Node, path: str) -> None:
    """Raise `SchemaError` unless an API server takes `node` and keeps everything that it says."""
    unknown = sorted(set(node) - KNOWN)
    if unknown:
        raise SchemaError(path, f"{', '.join(unknown)}: no keyword of a structural schema")
    if not node.get("description"):
        raise SchemaError(path, "has no description; it is what `kubectl explain` shows")
    if "type" not in node and "x-kubernetes-int-or-string" not in node:
        raise SchemaError(path, "has no type")
    if "pattern" in node and _LOOK_AROUND.search(node["pattern"]):
        raise SchemaError(path, "the pattern looks around; RE2 cannot")
    if node.get("format", "date") not in FORMATS:
        raise SchemaError(
            path, f"format {node['format']} means something else here; use a string with a pattern"
        )
    missing = _missing_bound(node)
    if missing:
        raise SchemaError(path, f"has no {missing}; everything needs bounds")
    if node.get("type") == "array":
        _check_list(node, path)


def _missing_bound(node: Node) -> str:
    kind = node.get("type")
    if kind == "string":
        bounded = "enum" in node or "maxLength" in node or node.get("format") in ("date", "date-time", "uuid")
        return "" if bounded else "maxLength"
    if kind in ("integer", "number"):
        return next((bound for bound in ("minimum", "maximum") if bound not in node), "")
    if kind == "array":
        return "" if "maxItems" in node else "maxItems"
    if "additionalProperties" in node or "x-kubernetes-preserve-unknown-fields" in node:
        return "" if "maxProperties" in node else "maxProperties"
    return ""


def _check_list(node: Node, path: str) -> None:
    items = node.get("items")
    if not items:
        raise SchemaError(path, "a list needs the type of its entries")
    kind = node.get("x-kubernetes-list-type")
    if kind is None and items.get("type") == "object":
        raise SchemaError(path, "a list of objects needs x-kubernetes-list-type: map with keys, or atomic")
    if kind != "map":
        return
    for key in node.get("x-kubernetes-list-map-keys", ()):
        entry = items.get("properties", {}).get(key, {})
        scalar = entry.get("type") in ("string", "integer", "boolean") and not entry.get("nullable")
        if not scalar or (key not in items.get("required", ()) and "default" not in entry):
            raise SchemaError(path, f"list-map key {key} must be a scalar that is required or has a default")
