"""The tools of a server as data, and what a call may carry: pure, no I/O.

Invariant: a tool that a caller may not use is indistinguishable from one that does not exist (D3).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import jsonschema
from pydantic import BaseModel

from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import parse

if TYPE_CHECKING:
    from butler_kit.auth import Caller

__all__ = ["Handler", "Tool", "ToolSet"]

Handler = Callable[["Caller", dict[str, Any]], Awaitable[Mapping[str, Any]]]
"""`handler(caller, args) -> result`: args are validated; the result is a JSON object; raises
`ButlerError`."""

InputSchema = type[BaseModel] | Mapping[str, Any]
_SHOWN_PROBLEMS = 5
_BUTLER = "butler"


@dataclass(frozen=True)
class Tool:
    """One tool: who may call it (`roles`), what it takes, how long it may run (`deadline_s`).

    Where `butlers` are named, those alone may of all that have a butler's role.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    model: type[BaseModel] | None
    roles: frozenset[str]
    deadline_s: float
    handler: Handler
    butlers: frozenset[str] = frozenset()

    def allows(self, caller: Caller) -> bool:
        """Whether the caller may see and call it."""
        anybody = not self.butlers or str(caller.role) != _BUTLER
        return str(caller.role) in self.roles and (anybody or caller.name in self.butlers)

    def check(self, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the validated arguments (a model's defaults filled in); raises `ValidationFailed` naming
        each path."""
        given = dict(arguments or {})
        if self.model is not None:
            return parse(self.model, given).model_dump()
        problems = _problems(self._validator, given)
        if problems:
            raise ValidationFailed(f"arguments of {self.name}: {'; '.join(problems)}")
        return given

    @cached_property
    def _validator(self) -> jsonschema.Draft202012Validator:
        return jsonschema.Draft202012Validator(self.schema)


class ToolSet:
    """The registered tools by name; a name is registered once."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def add(self, tool: Tool) -> None:
        """Register `tool`; `ValueError` when the name is taken or nobody may call it."""
        if tool.name in self._tools:
            raise ValueError(f"the tool {tool.name} is registered twice")
        if not tool.roles:
            raise ValueError(f"the tool {tool.name} names no role that may call it")
        self._tools[tool.name] = tool

    @property
    def names(self) -> tuple[str, ...]:
        """Every tool's name, in order of registration."""
        return tuple(self._tools)

    def visible_to(self, caller: Caller) -> Iterable[Tool]:
        """Return the tools that `caller` may call, in order of registration."""
        return [tool for tool in self._tools.values() if tool.allows(caller)]

    def for_caller(self, name: str, caller: Caller) -> Tool:
        """Return the tool; `ValidationFailed` when it is unknown or not for `caller`."""
        tool = self._tools.get(name)
        if tool is None or not tool.allows(caller):
            names = ", ".join(sorted(known.name for known in self.visible_to(caller))) or "none"
            raise ValidationFailed(
                f"no tool {name[:100]!r} for the role {caller.role}; tools for it: {names}"
            )
        return tool

    def schema_of(self, name: str) -> Mapping[str, Any] | None:
        """Return the input schema of `name`, or None."""
        tool = self._tools.get(name)
        return tool.schema if tool is not None else None


def schema_for(declared: InputSchema) -> tuple[Mapping[str, Any], type[BaseModel] | None]:
    """Return the JSON Schema of `declared` and its model, if it is one; `ValueError` for an invalid
    schema."""
    if isinstance(declared, type) and issubclass(declared, BaseModel):
        return declared.model_json_schema(), declared
    if not isinstance(declared, Mapping) or declared.get("type") != "object":
        raise ValueError('a tool takes an object: its JSON Schema needs "type": "object"')
    try:
        jsonschema.Draft202012Validator.check_schema(declared)
    except jsonschema.SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.message}") from error
    return declared, None


def _problems(validator: jsonschema.Draft202012Validator, given: Mapping[str, Any]) -> list[str]:
    found = sorted(
        validator.iter_errors(given), key=lambda error: [str(part) for part in error.absolute_path]
    )
    return [_describe(error) for error in found[:_SHOWN_PROBLEMS]]


def _describe(error: jsonschema.ValidationError) -> str:
    path = ".".join(str(part) for part in error.absolute_path) or "arguments"
    if error.validator == "type":
        return f"{path}: expected {error.validator_value}, got {_kind(error.instance)}"
    if error.validator in ("required", "additionalProperties"):
        return f"{path}: {error.message[:200]}"
    # The schema's side only: the value may be a private text.
    return f"{path}: does not satisfy {error.validator} {str(error.validator_value)[:100]}"


def _kind(value: object) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
