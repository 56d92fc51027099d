"""The ConfigMap with a butler's `butler.toml`: the same text that `butlers up` writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import tomli_w

from butler_resources.kinds import Butler
from butler_resources.render.butler_toml import render_butler_toml
from butler_resources.render.cluster.names import metadata_of
from butler_resources.render.cluster.place import Place
from butler_resources.render.profiles import default_port

__all__ = ["SCALE_FILE", "render_configmap"]

SCALE_FILE: Final = "scale.toml"


def render_configmap(butler: Butler, place: Place, owner: Mapping[str, str]) -> dict[str, Any]:
    """The configuration of `butler`."""
    text = render_butler_toml(butler, place.household, port=default_port(butler))
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata_of(butler, place.namespace, owner),
        "data": {"butler.toml": text, SCALE_FILE: _scale(butler)},
    }


def _scale(butler: Butler) -> str:
    """Return what only the init step reads, so that changing it replaces no pod."""
    said: dict[str, Any] = {"replicas": butler.spec.replicas}
    if butler.spec.database is not None and butler.spec.database.connection_limit is not None:
        said["connection_limit"] = butler.spec.database.connection_limit
    return tomli_w.dumps(said)
