"""One request from the provider's update to its receipt, and one butler with the history of its eligibility."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from butler_contracts.text import excerpt
from butler_dashboard.pages.commands import request_actions
from butler_dashboard.pages.lanes import lanes_of
from butler_dashboard.pages.names import with_names
from butler_dashboard.pages.queries import Listing
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.pages.walk import steps_of
from butler_dashboard.reads.butlers import butler_detail, butler_history
from butler_dashboard.reads.people import household_people
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.requests import UnknownRequest, request_life

__all__ = ["butler_page", "request_page"]

HISTORY: Final = 50
_HEADLINE: Final = 90


async def request_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Render one request: its message, lanes and steps. Raises `UnknownRequest`."""
    life = await request_life(reader, _identity(request.path_params["request_id"]))
    now, people = pages.now(), await household_people(reader)
    reason, _, barred = (life.plan.reason if life.plan is not None else "").partition(":")
    context = {
        "life": life,
        "people": people,
        "barred": barred if reason == "ineligible_target" else None,
        "lanes": lanes_of(life, now),
        "steps": steps_of(with_names(life, people), now),
        "actions": request_actions(life),
        "headline": excerpt(" ".join(life.text.split()), limit=_HEADLINE) or "A message without text",
    }
    return pages.page(request, "request.html", context, section="requests")


async def butler_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Render one butler. Raises `UnknownButler` when none of that name is declared."""
    name = request.path_params["name"]
    listing = Listing(request)
    butler = await butler_detail(reader, name)
    history = await butler_history(reader, name, limit=HISTORY, cursor=listing.cursor)
    context = {"butler": butler, "history": history, **listing.links(history.next)}
    return pages.page(request, "butler.html", context, section="butlers")


def _identity(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise UnknownRequest(f"'{excerpt(text)}' is no request's id") from None
