"""Authorization of actions on a page, and validation of submitted forms (D80).

Forms are accepted from the dashboard's own pages only: each carries a key that only a page shown to this session can
carry, and the browser states which site it comes from (`web.surroundings`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from butler_contracts.errors import ButlerError, Conflict
from butler_dashboard.acting.forms import Call
from butler_dashboard.acting.orders import Orders
from butler_dashboard.auth.sessions import Sessions, form_key_of
from butler_dashboard.auth.sign_in import local_path
from butler_dashboard.pages.problems import refused_page
from butler_dashboard.pages.rendering import Pages
from butler_kit.auth import Forbidden

__all__ = ["Desk", "Form", "form_of"]

_FIELDS_MAX: Final = 20
_NO_RIGHT: Final = (
    "This sign-in may look, not act. Sign in with a token of an operator for Switchboard: "
    "“butlers token --role operator” prints one on the machine that runs the household, and on a cluster "
    "“kubectl butler dashboard --operator NAME” signs you in with one."
)
_NOT_OURS: Final = (
    "This form is not of a page that was shown to this session. Open the page anew and try again."
)
Form = dict[str, str]


@dataclass(frozen=True, slots=True)
class Desk:
    """Carries out what forms ask for; without `orders` nobody may act here."""

    pages: Pages
    sessions: Sessions
    orders: Orders | None

    def route(
        self, path: str, asked: Callable[[Request, Form], Awaitable[Sequence[Call]]], *, page: str = ""
    ) -> Route:
        """Return a form's route: `asked` maps it to calls; then redirect to `page` (default: the path's)."""
        page = page or f"/{path.split('/')[1]}"

        async def act(request: Request) -> Response:
            try:
                form = await form_of(request)
                await self.have_done(request, await asked(request, form))
            except ButlerError as refused:
                return refused_page(request, self.pages, refused)
            return RedirectResponse(local_path(form.get("next") or page), 303)

        return Route(path, act, methods=["POST"])

    async def have_done(self, request: Request, calls: Sequence[Call]) -> None:
        """Make the calls as the signed-in operator. Raises the refusal; `Conflict` for several calls."""
        token = await self.sessions.acting_token(request)
        if self.orders is None or token is None:
            raise Forbidden(_NO_RIGHT)
        refused = [answer for answer in await self.orders.call_each(token, calls) if answer is not None]
        if refused and len(calls) > 1:
            done = len(calls) - len(refused)
            raise Conflict(f"{done} of {len(calls)} were done. The others were refused: {refused[0].message}")
        if refused:
            raise refused[0]


async def form_of(request: Request) -> Form:
    """Return the fields of a form from one of our pages. Raises `Forbidden` for any other form."""
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
