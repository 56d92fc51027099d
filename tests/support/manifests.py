"""From a manifest to a service's configuration as a person's manifest goes: YAML, models, `butler.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import yaml

from butler_kit.config import ButlerConfig, parse_config
from butler_resources.kinds import Butler, Manifests, parse_manifests
from butler_resources.kinds.names import API_VERSION
from butler_resources.render import render_butler_toml

__all__ = ["butler_of", "config_of", "merged", "toml_of"]

C = TypeVar("C", bound=ButlerConfig)
Spec = Mapping[str, Any]


def butler_of(spec: Spec, *, name: str | None = None) -> Butler:
    """The Butler of a manifest with this `spec`, called as its role or its profile is by default."""
    (butler,) = _manifests(spec, name).butlers
    return butler


def toml_of(spec: Spec, *, name: str | None = None, port: int = 0) -> str:
    """The `butler.toml` that a manifest with this `spec` is rendered to."""
    manifests = _manifests(spec, name)
    (butler,) = manifests.butlers
    return render_butler_toml(butler, manifests.household, port=port)


def config_of(
    model: type[C], spec: Spec, *, name: str | None = None, env: Mapping[str, str] | None = None
) -> C:
    """What the program of `model` makes of a manifest with this `spec`."""
    return parse_config(toml_of(spec, name=name), "butler.toml", model, env or {})


def _manifests(spec: Spec, name: str | None) -> Manifests:
    called = name or (spec["profile"] if spec["role"] == "specialist" else spec["role"])
    document = {"apiVersion": API_VERSION, "kind": "Butler", "metadata": {"name": called}, "spec": dict(spec)}
    return parse_manifests({"household.yaml": yaml.safe_dump(document, allow_unicode=True)})


def merged(under: Spec, over: Spec) -> dict[str, Any]:
    """Both, block by block; where they say the same thing, `over` is right."""
    result = dict(under)
    for key, value in over.items():
        below = result.get(key)
        both = isinstance(value, Mapping) and isinstance(below, Mapping)
        result[key] = merged(below or {}, value) if both else value
    return result
