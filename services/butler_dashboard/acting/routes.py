"""`POST /backfills` and `POST /backfills/{job_id}/{verb}`: an operator's forms (D80, SWB-18.1, SWB-19).

A form is taken from a page of ours only: it carries what only a page that was shown to this session can carry, and a
browser says of which site it is (`web.surroundings`).
"""

from __future__ import annotations

from hmac import compare_digest
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from butler_contracts.errors import ButlerError
from butler_dashboard.acting.forms import create_arguments, verb_call
from butler_dashboard.acting.orders import Orders
from butler_dashboard.auth.sessions import Sessions, form_key_of
from butler_dashboard.pages.problems import refused_page
from butler_dashboard.pages.rendering import Pages
from butler_kit.auth import Forbidden

__all__ = ["acting_routes"]

_FIELDS_MAX: Final = 20
_NO_RIGHT: Final = (
    "This sign-in may look, not act. Sign in with a token of an operator for Switchboard: "
    "“butlers token --role operator” prints one on the machine that runs the household, and on a cluster "
    "“kubectl butler dashboard --operator NAME” signs you in with one."
)
_NOT_OURS: Final = (
    "This form is not of a page that was shown to this session. Open the page anew and try again."
)


def acting_routes(pages: Pages, sessions: Sessions, orders: Orders | None) -> list[BaseRoute]:
    """The two addresses; without `orders` nobody may act here."""

    async def done(request: Request, tool: str, arguments: dict[str, Any]) -> None:
        token = await sessions.acting_token(request)
        if orders is None or token is None:
            raise Forbidden(_NO_RIGHT)
        await orders.call(token, tool, arguments)

    async def create(request: Request) -> Response:
        try:
            form = await _form(request)
            await done(request, "create_backfill_job", create_arguments(form))
        except ButlerError as refused:
            return refused_page(request, pages, refused)
        return RedirectResponse("/backfills", 303)

    async def act(request: Request) -> Response:
        try:
            await _form(request)
            await done(request, *verb_call(request.path_params["verb"], request.path_params["job_id"]))
        except ButlerError as refused:
            return refused_page(request, pages, refused)
        return RedirectResponse("/backfills", 303)

    return [
        Route("/backfills", create, methods=["POST"]),
        Route("/backfills/{job_id}/{verb}", act, methods=["POST"]),
    ]


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form of ours. Raises `Forbidden` for any other."""
    try:
        body = (await request.body()).decode("utf-8", "replace")
        fields = {name: values[0] for name, values in parse_qs(body, max_num_fields=_FIELDS_MAX).items()}
    except ValueError:
        fields = {}
    key = form_key_of(request)
    if key is None:
        raise Forbidden(_NO_RIGHT)
    if not compare_digest(key.encode(), fields.get("form_key", "").encode("utf-8", "surrogatepass")):
        raise Forbidden(_NOT_OURS)
    return fields
