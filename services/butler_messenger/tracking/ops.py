"""The ops API of Messenger: `GET /ops/v1/deliveries`, `…/{id}` and the OpenAPI document (interfaces, HTTP).

Operator and dashboard read everything; nobody else reads anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from butler_contracts.parse import parse
from butler_kit.mcp.server import ToolServer
from butler_messenger.tracking.reader import DeliveryReader
from butler_messenger.tracking.requests import DeliveryQuestion, SearchQuestion
from butler_messenger.tracking.routes import query_of, route

__all__ = ["Described", "openapi_document", "ops_routes"]

Described = tuple[str, str, str, type[BaseModel] | None]
"""Method, path, what it does, and the model of its query or body."""

_PATHS: Final[tuple[Described, ...]] = (
    ("GET", "/ops/v1/deliveries", "Deliveries, newest first", SearchQuestion),
    ("GET", "/ops/v1/deliveries/{delivery_id}", "One delivery with its attempts and receipts", None),
)


def ops_routes(
    server: ToolServer, reader: Callable[[], DeliveryReader], more: Iterable[Described] = ()
) -> list[BaseRoute]:
    """The routes, each behind the tool server's own guard; `more` are those that the document tells of besides."""
    document = openapi_document((*_PATHS, *more))

    async def deliveries(request: Request) -> Response:
        return JSONResponse(await reader().search(parse(SearchQuestion, query_of(request)).to_filter()))

    async def delivery(request: Request) -> Response:
        question = parse(DeliveryQuestion, {"delivery_id": request.path_params["delivery_id"]})
        status = await reader().status(question.delivery_id)
        attempts = await reader().attempts(question.delivery_id)
        return JSONResponse({**status, "attempts": attempts["attempts"]})

    async def openapi(_: Request) -> Response:
        return JSONResponse(document)

    return [
        route(server, "/ops/v1/deliveries", deliveries),
        route(server, "/ops/v1/deliveries/{delivery_id}", delivery),
        route(server, "/ops/v1/openapi.json", openapi),
    ]


def openapi_document(described: Iterable[Described] = _PATHS) -> dict[str, Any]:
    """The OpenAPI 3.1 document of these paths."""
    paths: dict[str, dict[str, Any]] = {}
    for method, path, summary, model in described:
        paths.setdefault(path, {})[method.lower()] = _operation(method, path, summary, model)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Messenger operations", "version": "1"},
        "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
        "security": [{"bearer": []}],
        "paths": paths,
    }


def _operation(method: str, path: str, summary: str, model: type[BaseModel] | None) -> dict[str, Any]:
    statuses = ("400", "401", "403", "404") if method == "GET" else ("400", "401", "403", "404", "409", "422")
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    schema = model.model_json_schema() if model is not None else {"properties": {}}
    operation: dict[str, Any] = {
        "summary": summary,
        "parameters": [_parameter(name, "path", {"type": "string", "format": "uuid"}) for name in names],
        "responses": {"200": _json("JSON"), **{status: _json("error") for status in statuses}},
    }
    if method == "GET":
        operation["parameters"] += [
            _parameter(name, "query", field) for name, field in schema["properties"].items()
        ]
    else:
        operation["parameters"].append(_parameter("Idempotency-Key", "header", {"type": "string"}))
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return operation


def _parameter(name: str, where: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": where, "required": where == "path", "schema": schema}


def _json(description: str) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": {"type": "object"}}}}
