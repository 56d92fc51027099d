"""Kubernetes' own schemas, each read once: `kubernetes_validate` reads all definitions again for every object."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from kubernetes_validate import utils

__all__ = ["check_object"]

VERSION = "1.37"

utils.schema_contents = cache(utils.schema_contents)


def check_object(manifest: Mapping[str, Any]) -> None:
    """`ValidationError` unless Kubernetes knows each field of the object."""
    assert utils.validate(dict(manifest), VERSION, strict=True) == VERSION
