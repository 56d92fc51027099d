"""`/usage`: model usage and cost over a day, a week or a month (SWB-33.1)."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from butler_dashboard.pages.queries import one_of
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.people import household_people
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.usage import household_usage

__all__ = ["usage_page"]

PERIODS: Final = {"24h": 1, "7d": 7, "30d": 30}


async def usage_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Render the page; each part is one read."""
    period = one_of(request, "period", tuple(PERIODS)) or "24h"
    context = {
        "used": await household_usage(reader, days=PERIODS[period]),
        "names": (await household_people(reader)).names,
        "period": period,
    }
    return pages.page(request, "usage.html", context, section="usage")
