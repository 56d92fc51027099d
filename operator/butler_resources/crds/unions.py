"""Tagged unions: branches may not carry types or defaults in a structural schema, so they become one flat object.

Every field of every branch is optional in the schema; rules say which ones belong to which tag.
"""

from __future__ import annotations

from typing import Any

from butler_resources.crds.emitted import VALIDATIONS, validation
from butler_resources.crds.limits import SchemaError
from butler_resources.kinds.rules import Rule

__all__ = ["flatten_tagged"]

Node = dict[str, Any]


def flatten_tagged(branches: list[Node], node: Node, path: str) -> Node:
    """One object for `branches`, whose tag is the field that `node`'s discriminator names."""
    tag = node.pop("discriminator", {}).get("propertyName")
    if tag is None:
        raise SchemaError(path, "a union without a tag; give it a discriminator field")
    by_tag = {_tag_value(branch, tag): branch for branch in branches}
    properties: Node = {}
    for branch in by_tag.values():
        for name, child in branch["properties"].items():
            if name != tag and properties.setdefault(name, child) != child:
                raise SchemaError(path, f"{name} differs between branches; give it one type or two names")
    tagged = {"type": "string", "enum": list(by_tag), "description": "Which of the forms this is."}
    rules = [rule for value, branch in by_tag.items() for rule in _rules(tag, value, branch, properties)]
    return node | {
        "type": "object",
        "properties": {tag: tagged} | properties,
        "required": [tag],
        VALIDATIONS: [validation(rule) for rule in rules],
    }


def _tag_value(branch: Node, tag: str) -> str:
    field = branch["properties"][tag]
    return str(field["const"] if "const" in field else field["enum"][0])


def _rules(tag: str, value: str, branch: Node, properties: Node) -> list[Rule]:
    needed = [name for name in branch.get("required", []) if name != tag]
    foreign = [name for name in properties if name not in branch["properties"]]
    return [
        Rule(cel=f"self.{tag} != '{value}' || has(self.{name})", message=f"{tag} {value} needs `{name}`")
        for name in needed
    ] + [
        Rule(
            cel=f"self.{tag} != '{value}' || !has(self.{name})",
            message=f"`{name}` does not go with {tag} {value}; remove it",
        )
        for name in foreign
    ]
