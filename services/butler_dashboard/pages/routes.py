"""Routes of the pages, `/events` and `/static`; access is decided earlier (`auth.gate`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from butler_contracts.errors import ButlerError, InternalFailure
from butler_dashboard.auth.sign_in import HOME
from butler_dashboard.pages.connectors import connectors_page
from butler_dashboard.pages.events import Events
from butler_dashboard.pages.lists import LISTS, list_page
from butler_dashboard.pages.problems import problem_page
from butler_dashboard.pages.quality import quality_page
from butler_dashboard.pages.record import record_page
from butler_dashboard.pages.rendering import STATIC, Pages
from butler_dashboard.pages.single import butler_page, request_page
from butler_dashboard.pages.today import today_page
from butler_dashboard.pages.usage import usage_page
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.today import waiting
from butler_kit.telemetry import get_logger

__all__ = ["page_routes"]

_log = get_logger(__name__)

_Page = Callable[[Request, Pages, Reader], Awaitable[Response]]
_PAGES: Final[dict[str, _Page]] = {
    "/today": today_page,
    "/connectors": connectors_page,
    "/quality": quality_page,
    "/usage": usage_page,
    **{f"/{section}": list_page(section) for section in LISTS},
    "/requests/{request_id}": request_page,
    "/records/{butler}/{record_id}": record_page,
    "/butlers/{name}": butler_page,
}


def page_routes(pages: Pages, reader: Reader, events: Events) -> list[BaseRoute]:
    """Return the routes of every page, the stream of changes, and the static files."""

    async def home(_: Request) -> Response:
        return RedirectResponse(HOME, 303)

    return [
        Route("/", home, methods=["GET"]),
        *(Route(path, _shown(page, pages, reader), methods=["GET"]) for path, page in _PAGES.items()),
        Route("/events", events.answer, methods=["GET"]),
        Mount("/static", _Static(directory=STATIC), name="static"),
    ]


def _shown(page: _Page, pages: Pages, reader: Reader) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that renders the page, or one that says why it cannot be shown."""

    async def show(request: Request) -> Response:
        try:
            request.state.waiting = await waiting(reader)
            return await page(request, pages, reader)
        except ButlerError as error:
            return problem_page(request, pages, error)
        except Exception:
            _log.exception("page_failed", path=request.url.path)
            return problem_page(request, pages, InternalFailure("the page could not be made"))

    return show


class _Static(StaticFiles):
    """Files that change only with a release; one requested by its content digest is cached forever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        kept = b"v=" in scope["query_string"]
        lasting = "public, max-age=31536000, immutable" if kept else "public, max-age=3600"
        response.headers["cache-control"] = lasting
        return response
