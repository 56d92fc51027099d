"""`/today`, the first page: today's messages and answers, and what awaits a person's decision."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.agenda import household_agenda
from butler_dashboard.reads.approvals import ApprovalFilter, list_approvals
from butler_dashboard.reads.butlers import ButlerFilter, list_butlers
from butler_dashboard.reads.connectors import ConnectorFilter, list_connectors
from butler_dashboard.reads.people import household_people
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.requests import RequestFilter, list_requests
from butler_dashboard.reads.today import day_counts, undecided

__all__ = ["today_page"]

MESSAGES: Final = 20
CAUSES: Final = 10
APPROVALS: Final = 5
_MOST: Final = 100


async def today_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Render the page; every part of it is one read."""
    counts = await day_counts(reader)
    newest = await list_requests(reader, RequestFilter(since=counts.since), limit=MESSAGES)
    butlers = await list_butlers(reader, ButlerFilter(), limit=_MOST)
    connectors = await list_connectors(reader, ConnectorFilter(), limit=_MOST)
    held = await list_approvals(reader, ApprovalFilter("waiting"), limit=APPROVALS)
    since = pages.now().astimezone(reader.timezone).date()
    context = {
        "approvals": held.approvals,
        "more_approvals": held.next is not None,
        "agenda": await household_agenda(reader, since),
        "counts": counts,
        "people": await household_people(reader),
        "messages": newest.requests,
        "waiting": await undecided(reader, limit=CAUSES),
        "quarantined": [one for one in butlers.butlers if one.eligibility_state == "quarantined"],
        "silent": [one for one in butlers.butlers if one.silent and one.eligibility_state == "active"],
        "troubled": [
            one
            for one in connectors.connectors
            if one.undeclared_at is None and (one.state != "healthy" or one.liveness != "online")
        ],
    }
    return pages.page(request, "today.html", context, section="today")
