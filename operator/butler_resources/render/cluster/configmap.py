"""The ConfigMap with a butler's `butler.toml`: the text that `butlers up` would write too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_resources.kinds import Butler
from butler_resources.render.butler_toml import render_butler_toml
from butler_resources.render.cluster.names import metadata_of
from butler_resources.render.cluster.place import Place
from butler_resources.render.profiles import default_port

__all__ = ["render_configmap"]


def render_configmap(butler: Butler, place: Place, owner: Mapping[str, str]) -> dict[str, Any]:
    """The configuration of `butler`."""
    text = render_butler_toml(butler, place.household, port=default_port(butler))
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata_of(butler, place.namespace, owner),
        "data": {"butler.toml": text},
    }
