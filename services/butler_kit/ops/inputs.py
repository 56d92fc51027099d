"""Inputs of an ops API's endpoints: a caller with a role, a body or query as strict as the contracts, and the objects
that the service hands in with each call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends, Header, Query
from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema
from starlette.requests import HTTPConnection

from butler_contracts.parse import parse
from butler_kit.auth import Caller, Role, require_role
from butler_kit.mcp.guard import caller_of
from butler_kit.ops.routes import HANDED

__all__ = ["AS_BODY", "AS_QUERY", "Key", "Operator", "Reader", "allowed", "handed"]


@dataclass(frozen=True)
class Parsed:
    """Reads the annotated model with `parse`, so that a wrong field is named in the words of the contracts.

    The schema stays the model's own, for the OpenAPI document.
    """

    numbers: bool = False

    def __get_pydantic_core_schema__(
        self, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        def read(value: Any, _: object) -> BaseModel:
            return parse(source, _numbers(source, value) if self.numbers else value)

        return core_schema.no_info_wrap_validator_function(read, handler(source))


AS_BODY: Final = Parsed()
"""`body: Annotated[SomeBody, AS_BODY]`: JSON as it came, bounded and strict."""
AS_QUERY: Final = (Parsed(numbers=True), Query())
"""`asked: Annotated[SomeQuestion, *AS_QUERY]`: the query string; a number is a number."""


def allowed(*roles: Role) -> Callable[[HTTPConnection], Awaitable[Caller]]:
    """Return a dependency: the caller, with one of `roles`; else `Forbidden`, whatever else is wrong."""

    async def caller(connection: HTTPConnection) -> Caller:
        found = caller_of(connection)
        require_role(found, *roles)
        return found

    return caller


def handed(kind: type) -> Any:
    """Return a dependency: the service's object of this type, so that paths exist before any service."""

    async def found(connection: HTTPConnection) -> Any:
        return connection.scope[HANDED][kind]

    return Depends(found)


Reader = Annotated[Caller, Depends(allowed(Role.OPERATOR, Role.DASHBOARD))]
"""A caller who may see everything."""
Operator = Annotated[Caller, Depends(allowed(Role.OPERATOR))]
"""A caller who may act."""
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="The same key again is answered as before and does nothing.",
        json_schema_extra={"minLength": 1, "maxLength": 200},
    ),
]
"""The raw header; `butler_kit.operations.key_of` reads it."""


def _numbers(question: type[BaseModel], query: Mapping[str, Any]) -> dict[str, Any]:
    whole = [name for name, field in question.model_fields.items() if field.annotation is int]
    return {**query, **{name: int(query[name]) for name in whole if _is_whole(query.get(name))}}


def _is_whole(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdecimal()
