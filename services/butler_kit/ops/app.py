"""Applications with uniform error answers and an OpenAPI document; an ops API is one below `/ops/v1`.

Invariant: an ops API, its document included, is reached only through the guard of the service's tool server.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from butler_contracts.errors import ButlerError, InternalFailure
from butler_kit.auth import Role
from butler_kit.ops.inputs import allowed
from butler_kit.ops.problems import Problem, http_problem, problem_response, question_problem
from butler_kit.telemetry import get_logger

__all__ = ["PREFIX", "OpsRoute", "create_app", "create_ops_app", "openapi_document", "ops_router", "refusals"]

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
    """A request whose JSON stays raw bytes: the contracts' own reader bounds and decodes them."""

    async def json(self) -> bytes:
        return await self.body()


class OpsRoute(APIRoute):
    """Turns every error into an answer, so that none is reported in the server's own words.

    The first line of an endpoint's docstring is its summary.
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
                _log.exception("call_failed", path=request.url.path)
                said = "the call failed inside this service; its log has the reason"
                return problem_response(InternalFailure(said))

        return answer


def ops_router(*, acting: bool = False) -> APIRouter:
    """Return a router for paths below the prefix; `acting`: they change something."""
    said = _REFUSALS | (_ACTING if acting else {})
    return APIRouter(prefix=PREFIX, route_class=OpsRoute, responses=refusals(said))


def refusals(said: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses for the refusals of a path: what each status means."""
    return {status: {"model": Problem, "description": words} for status, words in said.items()}


def create_ops_app(title: str, routers: Sequence[APIRouter]) -> FastAPI:
    """Return the application with its document at `/ops/v1/openapi.json`."""
    reader = allowed(Role.OPERATOR, Role.DASHBOARD)
    return create_app(title, routers, document_at=f"{PREFIX}/openapi.json", shown_to=reader)


def create_app(
    title: str,
    routers: Sequence[APIRouter],
    *,
    document_at: str,
    shown_to: Callable[..., Any] | None = None,
) -> FastAPI:
    """Return the application of `routers`, documented as requiring a bearer token if `shown_to` is given.

    `shown_to` is a dependency that refuses whoever may not see the document; without it the document is public.
    """
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
    app.include_router(_own_description(app, document_at, shown_to))
    _finish(app)
    return app


def _finish(app: FastAPI) -> None:
    """Build now what the first call would build, so that processes forked later share it."""
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})
    app.middleware_stack = app.build_middleware_stack()


def _own_description(app: FastAPI, path: str, shown_to: Callable[..., Any] | None) -> APIRouter:
    guard = [] if shown_to is None else [Depends(shown_to)]
    router = APIRouter(route_class=OpsRoute, dependencies=guard)

    @router.get(path, include_in_schema=False)
    async def document() -> Response:
        return JSONResponse(openapi_document(app, guarded=shown_to is not None))

    return router


def openapi_document(app: FastAPI, *, guarded: bool = True) -> dict[str, Any]:
    """Return the OpenAPI document: a bad request is 400, every `guarded` path needs a token or session."""
    if not app.openapi_schema:
        document = get_openapi(title=app.title, version=app.version, routes=app.routes)
        for path in document["paths"].values():
            for operation in path.values():
                _drop_the_frameworks_own(operation["responses"])
        components = document.setdefault("components", {})
        for unused in ("HTTPValidationError", "ValidationError"):
            components.get("schemas", {}).pop(unused, None)
        if guarded:
            components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
            document["security"] = [{"bearer": []}]
        app.openapi_schema = document
    return app.openapi_schema


def _drop_the_frameworks_own(responses: dict[str, Any]) -> None:
    """Remove FastAPI's 422 for a bad request; ours means that a key belongs to another action."""
    if responses.get("422", {}).get("description") == "Validation Error":
        del responses["422"]
