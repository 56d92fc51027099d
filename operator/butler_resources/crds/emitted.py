"""What pydantic says about a model, with its rules: JSON Schema, not yet one that Kubernetes takes."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from butler_resources.kinds.rules import Rule

__all__ = ["VALIDATIONS", "emitted_schema", "validation"]

VALIDATIONS: Final = "x-kubernetes-validations"


def validation(rule: Rule) -> dict[str, str]:
    """One entry of `x-kubernetes-validations`."""
    path = {"fieldPath": rule.path} if rule.path else {}
    return {"rule": rule.cel, "message": rule.message} | path


class _WithRules(GenerateJsonSchema):
    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        emitted = super().model_schema(schema)
        rules: tuple[Rule, ...] = getattr(schema["cls"], "RULES", ())
        return emitted | {VALIDATIONS: [validation(rule) for rule in rules]} if rules else emitted


def emitted_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of `model` by alias, `x-kubernetes-validations` on every model that has rules."""
    return model.model_json_schema(by_alias=True, mode="validation", schema_generator=_WithRules)
