"""Pages for what cannot be shown: an outage (503, retries by itself), an unknown item, a broken address."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from butler_contracts.errors import (
    ButlerError,
    OverloadRejected,
    TargetUnavailable,
    TimedOut,
    ValidationFailed,
)
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.backfills import UnknownBackfill
from butler_dashboard.reads.butlers import UnknownButler
from butler_dashboard.reads.connectors import UnknownConnector
from butler_dashboard.reads.dead_letters import UnknownDeadLetter
from butler_dashboard.reads.deliveries import UnknownDelivery
from butler_dashboard.reads.one_record import UnknownRecord
from butler_dashboard.reads.requests import UnknownRequest
from butler_kit.auth import Forbidden
from butler_kit.telemetry import get_logger

__all__ = ["RETRY_S", "no_page", "problem_page", "refused_page"]

_log = get_logger(__name__)

RETRY_S: Final = 10
_UNKNOWN: Final = (
    UnknownBackfill,
    UnknownButler,
    UnknownConnector,
    UnknownDeadLetter,
    UnknownDelivery,
    UnknownRecord,
    UnknownRequest,
)


def problem_page(request: Request, pages: Pages, error: ButlerError) -> Response:
    """Return the page for the error of a read; it names no address and no connection."""
    section = request.url.path.strip("/").partition("/")[0]
    if isinstance(error, _UNKNOWN):
        return _page(request, pages, 404, "Not here", f"{error.message}.", "lost", section)
    if isinstance(error, ValidationFailed):
        words = "This address asks for something that is not there. Begin anew from the menu."
        return _page(request, pages, 400, "This address does not work", words, "lost", section)
    _log.warning("page_not_shown", path=request.url.path, error=error.message)
    if isinstance(error, TargetUnavailable | TimedOut | OverloadRejected):
        words = (
            "The household may be well; this page cannot look. It reads from PostgreSQL, and PostgreSQL does not "
            "answer now, or is not prepared yet."
        )
        return _page(
            request, pages, 503, "The database does not answer", words, "outage", section, retry_s=RETRY_S
        )
    words = "It is in the log of the dashboard, with the time of now."
    return _page(request, pages, 500, "Something broke on our side", words, "outage", section)


def refused_page(request: Request, pages: Pages, refused: ButlerError) -> Response:
    """Return the page that says why a form's order was refused, in the refusal's own words."""
    section = request.url.path.strip("/").partition("/")[0]
    status = 403 if isinstance(refused, Forbidden) else 503 if refused.retryable else 400
    return _page(request, pages, status, "Not done", refused.message, "calm", section)


def no_page(request: Request, pages: Pages) -> Response:
    """Return the page for an unknown address."""
    return _page(request, pages, 404, "No such page", "The menu lists every page.", "lost", None)


def _page(
    request: Request,
    pages: Pages,
    status: int,
    title: str,
    words: str,
    picture: str,
    section: str | None,
    *,
    retry_s: int = 0,
) -> Response:
    context = {"title": title, "words": words, "picture": picture, "retry_s": retry_s}
    headers = {"retry-after": str(retry_s)} if retry_s else {}
    return pages.page(request, "problem.html", context, section=section, status=status, headers=headers)
