"""The ops API's paths for dead letters: read by operator and dashboard, acted on by an operator (MSR-08, D4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar
from uuid import UUID

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from butler_contracts.parse import parse
from butler_kit.auth import Role
from butler_kit.mcp.guard import caller_of
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import ActBody, Order, key_of, order_by
from butler_messenger.deadletters.letters import DeadLetters
from butler_messenger.deadletters.questions import DeadLetterQuestion, ListQuestion, ReplayBody
from butler_messenger.deadletters.reader import DeadLetterReader
from butler_messenger.tracking.requests import DeliveryQuestion
from butler_messenger.tracking.routes import query_of, route

__all__ = ["DEAD_LETTER_PATHS", "dead_letter_routes"]

_PATH: Final = "/ops/v1/dead-letters"
_ACTORS: Final = (Role.OPERATOR,)
Body = TypeVar("Body", bound=ActBody)
Act = Callable[[UUID, Order], Awaitable[dict[str, Any]]]


def dead_letter_routes(
    server: ToolServer,
    reader: Callable[[], DeadLetterReader],
    letters: Callable[[], DeadLetters],
    *,
    new_id: Callable[[], UUID],
) -> list[BaseRoute]:
    """The routes, each behind the tool server's own guard."""

    async def page(request: Request) -> Response:
        return JSONResponse(await reader().page(parse(ListQuestion, query_of(request))))

    async def inspect(request: Request) -> Response:
        return JSONResponse(await reader().inspect(_dead_letter(request)))

    async def ordered(
        request: Request, body: ActBody, act: Act, *, verb: str, kind: str, of: UUID
    ) -> Response:
        order = order_by(
            caller_of(request),
            uid=key_of(request.headers.get("Idempotency-Key"), otherwise=new_id()),
            action=f"{kind}.{verb}",
            target=f"{kind}/{of}",
            body=body,
            params=body.params() if isinstance(body, ReplayBody) else None,
        )
        return JSONResponse(await act(of, order))

    async def replay(request: Request) -> Response:
        body, of = parse(ReplayBody, await request.body()), _dead_letter(request)
        return await ordered(request, body, letters().replay, verb="replay", kind="dead_letter", of=of)

    async def discard(request: Request) -> Response:
        body, of = parse(ActBody, await request.body()), _dead_letter(request)
        return await ordered(request, body, letters().discard, verb="discard", kind="dead_letter", of=of)

    async def replay_delivery(request: Request) -> Response:
        body, of = parse(ReplayBody, await request.body()), _delivery(request)
        return await ordered(request, body, letters().replay_delivery, verb="replay", kind="delivery", of=of)

    async def discard_delivery(request: Request) -> Response:
        body, of = parse(ActBody, await request.body()), _delivery(request)
        act = letters().discard_delivery
        return await ordered(request, body, act, verb="discard", kind="delivery", of=of)

    delivery = "/ops/v1/deliveries/{delivery_id}"
    return [
        route(server, _PATH, page),
        route(server, f"{_PATH}/{{dead_letter_id}}", inspect),
        route(server, f"{_PATH}/{{dead_letter_id}}/replay", replay, method="POST", roles=_ACTORS),
        route(server, f"{_PATH}/{{dead_letter_id}}/discard", discard, method="POST", roles=_ACTORS),
        route(server, f"{delivery}/replay", replay_delivery, method="POST", roles=_ACTORS),
        route(server, f"{delivery}/discard", discard_delivery, method="POST", roles=_ACTORS),
    ]


def _dead_letter(request: Request) -> UUID:
    text = request.path_params["dead_letter_id"]
    return parse(DeadLetterQuestion, {"dead_letter_id": text}).dead_letter_id


def _delivery(request: Request) -> UUID:
    return parse(DeliveryQuestion, {"delivery_id": request.path_params["delivery_id"]}).delivery_id


DEAD_LETTER_PATHS: Final = (
    ("GET", _PATH, "Dead letters, newest first", ListQuestion),
    ("GET", f"{_PATH}/{{dead_letter_id}}", "One dead letter with everything", None),
    ("POST", f"{_PATH}/{{dead_letter_id}}/replay", "Send it again, once, as a new delivery", ReplayBody),
    ("POST", f"{_PATH}/{{dead_letter_id}}/discard", "Keep it, and never replay it", ActBody),
    ("POST", "/ops/v1/deliveries/{delivery_id}/replay", "Send what failed or is uncertain again", ReplayBody),
    ("POST", "/ops/v1/deliveries/{delivery_id}/discard", "Never send what failed or is uncertain", ActBody),
)
"""Method, path, what it does, and the query or body: for the OpenAPI document."""
