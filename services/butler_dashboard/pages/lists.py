"""The lists: `/requests`, `/deliveries`, `/dead-letters`, `/butlers`, `/backfills`; a page of each is one read."""

from __future__ import annotations

from typing import Any, Final, get_args

from starlette.requests import Request
from starlette.responses import Response

from butler_dashboard.pages.queries import Listing, one_of, since_of
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.backfills import BackfillFilter, list_backfills
from butler_dashboard.reads.butlers import ButlerFilter, list_butlers
from butler_dashboard.reads.dead_letters import DeadLetterFilter, list_dead_letters
from butler_dashboard.reads.deliveries import DeliveryFilter, list_deliveries
from butler_dashboard.reads.letter_models import LetterKind, LetterState
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.requests import RequestFilter, list_requests

__all__ = ["backfills_page", "butlers_page", "dead_letters_page", "deliveries_page", "requests_page"]

ROWS: Final = 50
CARDS: Final = 24
REQUEST_STATES: Final = ("accepted", "parsed", "errored", "recorded")
CHANNELS: Final = ("telegram", "email", "api", "mcp")
DELIVERY_STATES: Final = (
    "pending",
    "in_progress",
    "sent",
    "uncertain",
    "failed",
    "dead_lettered",
    "pending_approval",
    "pending_missing_identifier",
)
LETTER_STATES: Final[tuple[LetterState, ...]] = get_args(LetterState)
LETTER_KINDS: Final[tuple[LetterKind, ...]] = get_args(LetterKind)


async def requests_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Every accepted message, newest first."""
    listing = Listing(request)
    filters = _filters(request, state=REQUEST_STATES, channel=CHANNELS)
    wanted = RequestFilter(
        state=filters["state"] or None,
        channel=filters["channel"] or None,
        since=since_of(request, pages.now()),
    )
    found = await list_requests(reader, wanted, limit=ROWS, cursor=listing.cursor)
    return pages.page(
        request,
        "requests.html",
        {"found": found, "filters": filters, **listing.links(found.next)},
        section="requests",
    )


async def deliveries_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """What butlers had to say, newest first."""
    listing = Listing(request)
    filters = _filters(request, status=DELIVERY_STATES, channel=CHANNELS)
    wanted = DeliveryFilter(
        status=filters["status"] or None,
        channel=filters["channel"] or None,
        since=since_of(request, pages.now()),
    )
    found = await list_deliveries(reader, wanted, limit=ROWS, cursor=listing.cursor)
    return pages.page(
        request,
        "deliveries.html",
        {"found": found, "filters": filters, **listing.links(found.next)},
        section="deliveries",
    )


async def dead_letters_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """What failed for good, of both services."""
    listing = Listing(request)
    wanted = DeadLetterFilter(
        kind=one_of(request, "kind", LETTER_KINDS), state=one_of(request, "state", LETTER_STATES)
    )
    found = await list_dead_letters(reader, wanted, limit=CARDS, cursor=listing.cursor)
    filters = {"kind": wanted.kind, "state": wanted.state}
    return pages.page(
        request,
        "dead-letters.html",
        {"found": found, "filters": filters, **listing.links(found.next)},
        section="dead-letters",
    )


async def butlers_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Who may get messages now."""
    listing = Listing(request)
    found = await list_butlers(reader, ButlerFilter(), limit=CARDS, cursor=listing.cursor)
    return pages.page(
        request,
        "butlers.html",
        {"butlers": found.butlers, **listing.links(found.next)},
        section="butlers",
    )


async def backfills_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """History that is read beside the live mail."""
    listing = Listing(request)
    found = await list_backfills(reader, BackfillFilter(), limit=CARDS, cursor=listing.cursor)
    return pages.page(
        request, "backfills.html", {"found": found, **listing.links(found.next)}, section="backfills"
    )


def _filters(request: Request, **known: tuple[str, ...]) -> dict[str, Any]:
    """What the form shows as chosen; what no option says is no filter."""
    chosen = {name: one_of(request, name, values) or "" for name, values in known.items()}
    return {**chosen, "since": request.query_params.get("since", "")}
