"""Changes of a custom resource's spec, drawn by hypothesis from the schema of its CRD; the same seed draws the same."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from bench.operator.plane import REPOSITORY

__all__ = ["KEEP_OUT", "Change", "changes", "spec_schema", "values"]

Change = tuple[str, Any]
"""A field of the spec and what it becomes; None takes it away."""
REFERENCE: Final = {"name": "source", "key": "value"}
"""The one Secret that is there: a name that is drawn would never be."""
KEEP_OUT: Final = frozenset({"replicas", "suspend", "household"})
"""No node runs pods here, and a household's settings are its Switchboard's."""
_FEW: Final = 3
_LONG: Final = 40


def spec_schema(plural: str) -> dict[str, Any]:
    """The schema of the spec in `crds/`."""
    crd = yaml.safe_load((REPOSITORY / "crds" / f"{plural}.yaml").read_text(encoding="utf-8"))
    root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    found: dict[str, Any] = root["properties"]["spec"]
    return found


def changes(plural: str, *, number: int, count: int, out: frozenset[str] = KEEP_OUT) -> list[Change]:
    """`count` changes by the seed `number`, whatever the API server will say of them."""
    fields = {name: node for name, node in spec_schema(plural)["properties"].items() if name not in out}
    drawn: list[Change] = []
    one = st.sampled_from(sorted(fields)).flatmap(
        lambda name: st.tuples(st.just(name), st.none() | values(fields[name]))
    )
    plain = settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

    @seed(number)
    @plain
    @given(change=one)
    def keep(change: Change) -> None:
        drawn.append(change)

    keep()
    return drawn[:count]


def values(node: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What the schema allows at one place; its CEL rules are the API server's to know."""
    if "enum" in node:
        return st.sampled_from(node["enum"])
    match node.get("type"):
        case "object":
            return _objects(node)
        case "array":
            return _arrays(node)
        case "string":
            return _strings(node)
        case "integer":
            return st.integers(node.get("minimum", 0), node.get("maximum", 10_000))
        case "number":
            return st.floats(node.get("minimum", 0), node.get("maximum", 1_000), allow_nan=False)
        case "boolean":
            return st.booleans()
    return st.integers(1, 64) if node.get("x-kubernetes-int-or-string") else st.just({})


def _objects(node: dict[str, Any]) -> st.SearchStrategy[Any]:
    properties = node.get("properties") or {}
    if set(properties) == set(REFERENCE):
        return st.just(REFERENCE)
    if not properties:
        least, entries = node.get("minProperties", 0), node.get("additionalProperties")
        inside = values(entries) if isinstance(entries, dict) else st.just("value")
        keys = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
        return st.dictionaries(keys, inside, min_size=least, max_size=max(least, _FEW))
    needed = set(node.get("required") or ())
    drawn = {name: values(inner) for name, inner in properties.items()}
    return st.fixed_dictionaries(
        {name: drawn[name] for name in drawn if name in needed},
        optional={name: drawn[name] for name in drawn if name not in needed},
    )


def _arrays(node: dict[str, Any]) -> st.SearchStrategy[Any]:
    least = node.get("minItems", 0)
    most = max(least, min(node.get("maxItems", _FEW), _FEW))
    return st.lists(
        values(node["items"]), min_size=least, max_size=most, unique_by=repr if _is_set(node) else None
    )


def _is_set(node: dict[str, Any]) -> bool:
    return node.get("x-kubernetes-list-type") in ("set", "map")


def _strings(node: dict[str, Any]) -> st.SearchStrategy[str]:
    least, most = node.get("minLength", 0), min(node.get("maxLength", _LONG), _LONG)
    if node.get("format") == "date":
        return st.dates().map(str)
    if "pattern" in node:
        try:
            pattern = re.compile(node["pattern"], re.ASCII)
        except re.error:  # RE2 knows what Python does not
            return st.just("x" * max(1, least))
        return st.from_regex(pattern, fullmatch=False).filter(
            lambda text: least <= len(text) <= node.get("maxLength", 10_000) and "\n" not in text
        )
    return st.text(st.characters(codec="utf-8", categories=("L", "N", "Zs")), min_size=least, max_size=most)
