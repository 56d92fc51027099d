"""An ops API as an application below `/ops/v1`, one for all services of its kind in a process.

Invariant: nothing of it is reached but through the guard of the service's tool server, the OpenAPI document neither.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from butler_contracts.errors import ButlerError, InternalFailure
from butler_kit.ops.inputs import Reader
from butler_kit.ops.problems import Problem, http_problem, problem_response, question_problem
from butler_kit.telemetry import get_logger

__all__ = ["PREFIX", "create_ops_app", "openapi_document", "ops_router"]

PREFIX: Final = "/ops/v1"
_log = get_logger(__name__)
_REFUSALS: Final = {
    400: "It cannot be asked so.",
    401: "Nobody: no token, or one that is refused.",
    403: "Somebody who may not.",
    404: "There is no such thing for this caller.",
    503: "Something that is needed is away or full.",
    504: "It took too long.",
}
_ACTING: Final = {
    409: "It cannot be done, as things are now.",
    422: "The `Idempotency-Key` belongs to another action.",
}


class _AsSent(Request):
    """A request whose JSON stays the bytes that came: the contracts' own reader bounds and decodes them."""

    async def json(self) -> bytes:
        return await self.body()


class OpsRoute(APIRoute):
    """Every error becomes an answer here, so none of them is told by the server's own words.

    What an endpoint's docstring says first is its summary.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        said = (endpoint.__doc__ or "").strip().partition("\n")[0].rstrip(".")
        super().__init__(path, endpoint, **{**more, "summary": more.get("summary") or said or None})

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(_AsSent(request.scope, request.receive))
            except RequestValidationError as error:
                return problem_response(question_problem(error))
            except ButlerError as error:
                return problem_response(error)
            except Exception:
                _log.exception("ops_call_failed", path=request.url.path)
                said = "the call failed inside this service; its log has the reason"
                return problem_response(InternalFailure(said))

        return answer


def ops_router(*, acting: bool = False) -> APIRouter:
    """A router for paths below the prefix; `acting`: they change something."""
    refusals: dict[int | str, dict[str, Any]] = {
        status: {"model": Problem, "description": said}
        for status, said in (_REFUSALS | (_ACTING if acting else {})).items()
    }
    return APIRouter(prefix=PREFIX, route_class=OpsRoute, responses=refusals)


def create_ops_app(title: str, routers: Sequence[APIRouter]) -> FastAPI:
    """The application with its document at `/ops/v1/openapi.json`."""
    app = FastAPI(
        title=title, version="1", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    for router in routers:
        app.include_router(router)

    async def no_such_path(_: Request, error: Exception) -> Response:
        return (
            http_problem(error) if isinstance(error, HTTPException) else problem_response(InternalFailure(""))
        )

    app.add_exception_handler(HTTPException, no_such_path)
    app.include_router(_own_description(app))
    _finish(app)
    return app


def _finish(app: FastAPI) -> None:
    """Have made now what is made with the first call, so that processes that are forked later share it."""
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})
    app.middleware_stack = app.build_middleware_stack()


def _own_description(app: FastAPI) -> APIRouter:
    router = ops_router()

    @router.get("/openapi.json", include_in_schema=False)
    async def document(_: Reader) -> Response:
        return JSONResponse(openapi_document(app))

    return router


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document: a wrong question is 400 here, and every path wants a token or a session."""
    if not app.openapi_schema:
        document = get_openapi(title=app.title, version=app.version, routes=app.routes)
        for path in document["paths"].values():
            for operation in path.values():
                _drop_the_frameworks_own(operation["responses"])
        schemas = document["components"]["schemas"]
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        document["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"bearer": []}]
        app.openapi_schema = document
    return app.openapi_schema


def _drop_the_frameworks_own(responses: dict[str, Any]) -> None:
    """FastAPI's 422 for a wrong question; ours says that a key belongs to another action."""
    if responses.get("422", {}).get("description") == "Validation Error":
        del responses["422"]
