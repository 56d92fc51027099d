"""The ops API of Messenger: `GET /ops/v1/deliveries`, `…/{id}` and its OpenAPI document (interfaces, HTTP).

Operator and dashboard read everything; nobody else reads anything.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, request_response

from butler_contracts.errors import ButlerError, ErrorClass
from butler_contracts.parse import parse
from butler_kit.auth import Role, require_role
from butler_kit.auth.errors import Forbidden
from butler_kit.mcp import ToolServer, caller_of
from butler_messenger.tracking.reader import DeliveryReader
from butler_messenger.tracking.requests import DeliveryQuestion, SearchQuestion

__all__ = ["openapi_document", "ops_routes"]

_HTTP: Final = {
    ErrorClass.VALIDATION_ERROR: 400,
    ErrorClass.TARGET_UNAVAILABLE: 503,
    ErrorClass.OVERLOAD_REJECTED: 503,
    ErrorClass.TIMEOUT: 504,
}
Endpoint = Callable[[Request], Awaitable[Response]]


def ops_routes(server: ToolServer, reader: Callable[[], DeliveryReader]) -> list[BaseRoute]:
    """The routes, each behind the tool server's own guard."""

    async def deliveries(request: Request) -> Response:
        query: dict[str, Any] = dict(request.query_params)
        if query.get("limit", "").isdecimal():
            query["limit"] = int(query["limit"])
        return JSONResponse(await reader().search(parse(SearchQuestion, query).to_filter()))

    async def delivery(request: Request) -> Response:
        question = parse(DeliveryQuestion, {"delivery_id": request.path_params["delivery_id"]})
        status = await reader().status(question.delivery_id)
        attempts = await reader().attempts(question.delivery_id)
        return JSONResponse({**status, "attempts": attempts["attempts"]})

    async def openapi(_: Request) -> Response:
        return JSONResponse(openapi_document())

    paths: dict[str, Endpoint] = {
        "/ops/v1/deliveries": deliveries,
        "/ops/v1/deliveries/{delivery_id}": delivery,
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
            missing = status == 400 and error.message.startswith("no delivery ")
            return JSONResponse(error.to_wire(), status_code=404 if missing else status)

    return answer


def openapi_document() -> dict[str, Any]:
    """The OpenAPI 3.1 document of these paths."""
    schema = SearchQuestion.model_json_schema()
    parameters = [
        {"name": name, "in": "query", "required": False, "schema": field}
        for name, field in schema["properties"].items()
    ]
    found = {"description": "JSON", "content": {"application/json": {"schema": {"type": "object"}}}}
    refused = {"description": "error", "content": {"application/json": {"schema": {"type": "object"}}}}
    by_id = {
        "name": "delivery_id",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "format": "uuid"},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Messenger operations", "version": "1"},
        "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
        "security": [{"bearer": []}],
        "paths": {
            "/ops/v1/deliveries": {
                "get": {
                    "summary": "Deliveries, newest first",
                    "parameters": parameters,
                    "responses": {"200": found, "400": refused, "401": refused, "403": refused},
                }
            },
            "/ops/v1/deliveries/{delivery_id}": {
                "get": {
                    "summary": "One delivery with its attempts and receipts",
                    "parameters": [by_id],
                    "responses": {"200": found, "401": refused, "403": refused, "404": refused},
                }
            },
        },
    }
