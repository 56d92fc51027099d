"""CustomResourceDefinitions, generated from the models of `kinds` (pure; `make crds` writes them)."""

from butler_resources.crds.definitions import DEFINITIONS, definition
from butler_resources.crds.structural import SchemaError, structural_schema

__all__ = ["DEFINITIONS", "SchemaError", "definition", "structural_schema"]
