"""The ops API of a specialist: `GET /ops/v1/requests/{request_id}`, `…/records`, its OpenAPI document.

Operator and dashboard read everything; nobody else reads anything.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, request_response

from butler_contracts.base import Timestamp
from butler_contracts.errors import ButlerError, ErrorClass
from butler_contracts.parse import parse
from butler_kit.auth import Role, require_role
from butler_kit.auth.errors import Forbidden
from butler_kit.mcp.guard import caller_of
from butler_kit.mcp.server import ToolServer
from butler_specialist.ops.reader import HoldingsReader

__all__ = ["openapi_document", "ops_routes"]

_HTTP: Final = {
    ErrorClass.VALIDATION_ERROR: 400,
    ErrorClass.TARGET_UNAVAILABLE: 503,
    ErrorClass.OVERLOAD_REJECTED: 503,
    ErrorClass.TIMEOUT: 504,
}
Endpoint = Callable[[Request], Awaitable[Response]]


class _Question(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RequestQuestion(_Question):
    """Names one request."""

    request_id: UUID


class RecordsQuestion(_Question):
    """Which records; `since` is when they were recorded, RFC 3339."""

    kind: Annotated[str, Field(pattern="^[a-z][a-z_]{0,39}$")] | None = None
    since: Timestamp | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


def ops_routes(server: ToolServer, reader: Callable[[], HoldingsReader]) -> list[BaseRoute]:
    """The routes, each behind the tool server's own guard."""

    async def one_request(request: Request) -> Response:
        question = parse(RequestQuestion, {"request_id": request.path_params["request_id"]})
        return JSONResponse(await reader().request(question.request_id))

    async def records(request: Request) -> Response:
        query: dict[str, Any] = dict(request.query_params)
        if query.get("limit", "").isdecimal():
            query["limit"] = int(query["limit"])
        question = parse(RecordsQuestion, query)
        return JSONResponse(
            await reader().records(kind=question.kind, since=question.since, limit=question.limit)
        )

    async def openapi(_: Request) -> Response:
        return JSONResponse(openapi_document())

    paths: dict[str, Endpoint] = {
        "/ops/v1/requests/{request_id}": one_request,
        "/ops/v1/records": records,
        "/ops/v1/openapi.json": openapi,
    }
    return [
        Route(path, endpoint=server.guard(request_response(_answering(endpoint))), methods=["GET"])
        for path, endpoint in paths.items()
    ]


def _answering(endpoint: Endpoint) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            require_role(caller_of(request), Role.OPERATOR, Role.DASHBOARD)
            return await endpoint(request)
        except Forbidden as error:
            return JSONResponse(error.to_wire(), status_code=403)
        except ButlerError as error:
            status = _HTTP.get(error.error_class, 500)
            missing = status == 400 and error.message.startswith("no request ")
            return JSONResponse(error.to_wire(), status_code=404 if missing else status)

    return answer


def openapi_document() -> dict[str, Any]:
    """The OpenAPI 3.1 document of these paths."""
    by_id = {
        "name": "request_id",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "format": "uuid"},
    }
    fields = RecordsQuestion.model_json_schema()["properties"]
    filters = [
        {"name": name, "in": "query", "required": False, "schema": field} for name, field in fields.items()
    ]
    request = "What is held of one request: subrequests, answers, records"
    return {
        "openapi": "3.1.0",
        "info": {"title": "Specialist operations", "version": "1"},
        "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
        "security": [{"bearer": []}],
        "paths": {
            "/ops/v1/requests/{request_id}": _path(request, [by_id], "404"),
            "/ops/v1/records": _path("Records, newest first", filters),
        },
    }


def _path(summary: str, parameters: list[dict[str, Any]], *also: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"type": "object"}}}
    refused = {code: {"description": "error", "content": content} for code in ("400", "401", "403", *also)}
    responses = {"200": {"description": "JSON", "content": content}, **refused}
    return {"get": {"summary": summary, "parameters": parameters, "responses": responses}}
