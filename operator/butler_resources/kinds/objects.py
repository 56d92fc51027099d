"""Reads an object as the API server stores it into its model, the same rules applied once more.

Invariant: what the server adds (uid, managedFields, a status of an older version) never makes a manifest
invalid; what a person wrote is judged whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.problems import ManifestError, Problem, problems_of

__all__ = ["parse_object", "without_nulls"]

Resource = TypeVar("Resource", bound=ResourceModel)
METADATA: Final = ("name", "namespace", "labels", "annotations")


def without_nulls(document: Any) -> Any:
    """The document without keys whose value is null: the API server drops them before it applies defaults."""
    if isinstance(document, dict):
        return {key: without_nulls(value) for key, value in document.items() if value is not None}
    return [without_nulls(item) for item in document] if isinstance(document, list) else document


def parse_object(model: type[Resource], body: Mapping[str, Any]) -> Resource:
    """The `model` in an API object, without its status. Raises `ManifestError` with every problem."""
    metadata = body.get("metadata") or {}
    where = f"{body.get('kind', model.__name__)} {metadata.get('name', '')}".rstrip()
    document = {
        "apiVersion": body.get("apiVersion"),
        "kind": body.get("kind"),
        "metadata": {key: metadata[key] for key in METADATA if key in metadata},
        "spec": body.get("spec") or {},
    }
    try:
        return model.model_validate_json(json.dumps(without_nulls(document)))
    except ValidationError as error:
        raise ManifestError(problems_of(error, model=model, where=where)) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise ManifestError([Problem(where, "", "has a value that JSON cannot hold")]) from error
