"""How every path of Messenger's ops API is guarded and answers: JSON, or a typed refusal with its status."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, request_response

from butler_contracts.errors import ButlerError, ErrorClass, InternalFailure, NotFound
from butler_kit.auth import Role, require_role
from butler_kit.auth.errors import Forbidden
from butler_kit.mcp.guard import caller_of
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import KeyReused, Refused
from butler_kit.telemetry import get_logger

__all__ = ["Endpoint", "query_of", "route"]

_log = get_logger(__name__)

_READERS: Final = (Role.OPERATOR, Role.DASHBOARD)
_HTTP: Final = {
    ErrorClass.VALIDATION_ERROR: 400,
    ErrorClass.TARGET_UNAVAILABLE: 503,
    ErrorClass.OVERLOAD_REJECTED: 503,
    ErrorClass.TIMEOUT: 504,
}
Endpoint = Callable[[Request], Awaitable[Response]]


def route(
    server: ToolServer,
    path: str,
    endpoint: Endpoint,
    *,
    method: str = "GET",
    roles: tuple[Role, ...] = _READERS,
) -> Route:
    """One path, behind the tool server's own guard, for these roles."""
    behind = request_response(_answering(endpoint, roles))
    return Route(path, endpoint=server.guard(behind, json_posts=method == "POST"), methods=[method])


def query_of(request: Request) -> dict[str, Any]:
    """The query string's values as JSON would say them: a number is a number."""
    query: dict[str, Any] = dict(request.query_params)
    if query.get("limit", "").isdecimal():
        query["limit"] = int(query["limit"])
    return query


def _answering(endpoint: Endpoint, roles: tuple[Role, ...]) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            require_role(caller_of(request), *roles)
            return await endpoint(request)
        except ButlerError as error:
            return _refusal(error)
        except Exception:
            _log.exception("ops_call_failed", path=request.url.path)
            return _refusal(InternalFailure("the call failed inside Messenger; its log has the reason"))

    return answer


def _refusal(error: ButlerError) -> Response:
    if isinstance(error, Forbidden):
        status = 403
    elif isinstance(error, KeyReused):
        status = 422
    elif isinstance(error, Refused):
        status = 409
    elif isinstance(error, NotFound):
        status = 404
    else:
        status = _HTTP.get(error.error_class, 500)
    wait = error.retry_after_s
    headers = {"Retry-After": str(max(1, round(wait)))} if wait is not None else {}
    return JSONResponse(error.to_wire(), status_code=status, headers=headers)
