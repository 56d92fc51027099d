"""The web application: `/bot<token>/<method>` as the Bot API has it, and `/control/…` for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tests.support.loopback import abort_connection

from .errors import ApiError
from .faults import Fault, FaultScript
from .methods import METHODS, bot_user
from .parameters import Parameters, read_parameters
from .polling import UpdatePoller
from .state import BotState
from .updates import inject, redeliver

_MAX_HANG_S = 600.0


class _CutConnection(Response):
    """Answers by closing the connection without a byte."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await abort_connection(scope, receive)


class BotApi:
    """One bot's provider: its state, its poller, its scripted faults and the routes over them."""

    def __init__(self, *, token: str, state: BotState) -> None:
        self._token = token
        self.state = state
        self.poller = UpdatePoller(state)
        self.faults = FaultScript()
        self._bot = bot_user(token)

    def app(self) -> Starlette:
        both = ["GET", "POST"]
        return Starlette(
            routes=[
                Route("/bot{token}/{method}", self.call, methods=both),
                Route("/control/updates", _refusing(self.control_inject), methods=["POST"]),
                Route(
                    "/control/updates/{update_id:int}/redeliver",
                    _refusing(self.control_redeliver),
                    methods=["POST"],
                ),
                Route("/control/chats", _refusing(self.control_chat), methods=["POST"]),
                Route("/control/faults", _refusing(self.control_faults), methods=["POST", "DELETE"]),
                Route("/control/log", _refusing(self.control_log)),
                Route("/control/state", _refusing(self.control_state)),
            ]
        )

    # -- Bot API ----------------------------------------------------------------------------------------

    async def call(self, request: Request) -> Response:
        """One method call: `{"ok": true, "result": …}`, or the refusal with its status."""
        method = request.path_params["method"].lower()
        try:
            if request.path_params["token"] != self._token:
                raise ApiError(401, "Unauthorized")
            parameters = await read_parameters(request)
            return await self._with_faults(method, parameters)
        except ApiError as error:
            return JSONResponse(error.body(), status_code=error.code)

    async def _with_faults(self, method: str, parameters: Parameters) -> Response:
        fault = self.faults.take(method, parameters.text("chat_id"))
        if fault is None:
            return _ok(await self._perform(method, parameters))
        if fault.kind == "slow":
            await self._until_cleared(fault.delay_s)
            return _ok(await self._perform(method, parameters))
        if fault.applied:
            await self._perform(method, parameters)
        if fault.kind == "status":
            raise fault.error()
        if fault.kind == "hang":
            await self._until_cleared(_MAX_HANG_S)
        return _CutConnection()

    async def _perform(self, method: str, parameters: Parameters) -> Any:
        if method == "getupdates":
            return await self.poller.get_updates(parameters)
        if method not in METHODS:
            raise ApiError(404, "Not Found")
        return METHODS[method](self.state, parameters, self._bot)

    async def _until_cleared(self, at_most_s: float) -> None:
        """Silence until the faults are cleared, `at_most_s` at most."""
        try:
            async with asyncio.timeout(at_most_s):
                await self.faults.cleared.wait()
        except TimeoutError:
            return

    # -- control ----------------------------------------------------------------------------------------

    async def control_inject(self, request: Request) -> Any:
        """POST an Update, ids and date optional; answers `{update, queued}`."""
        done = inject(self.state, await _json(request))
        self.poller.wake()
        return done

    async def control_redeliver(self, request: Request) -> Any:
        done = redeliver(self.state, request.path_params["update_id"])
        self.poller.wake()
        return done

    async def control_chat(self, request: Request) -> Any:
        """POST `{chat: {id, type, …}, blocked?}`: makes a chat known to the bot, or blocked by its person."""
        given = await _json(request)
        if not isinstance(given.get("chat"), dict) or not isinstance(given["chat"].get("id"), int):
            raise ValueError("chat: expected an object with a numeric id")
        self.state.record("chat", chat=given["chat"], blocked=bool(given.get("blocked", False)))
        return {"chat": given["chat"]}

    async def control_faults(self, request: Request) -> Any:
        """POST `{method, kind, …}` (see Fault) adds one, DELETE clears all and releases what hangs."""
        if request.method == "DELETE":
            self.faults.clear()
        else:
            self.faults.add(Fault(**await _json(request)))
        return {"faults": self.faults.pending()}

    async def control_log(self, request: Request) -> Any:
        """What the bot did, oldest first; `?since=SEQ` leaves out what was read before."""
        since = int(request.query_params.get("since", "0"))
        return {"log": self.state.log[max(since, 0) :]}

    async def control_state(self, _: Request) -> Any:
        reactions = [
            {"chat_id": chat_id, "message_id": message_id, "reaction": reaction}
            for (chat_id, message_id), reaction in self.state.reactions.items()
        ]
        return {
            "queued": [queued.update_id for queued in self.state.queue],
            "next_update_id": self.state.next_update_id,
            "chats": list(self.state.chats.values()),
            "blocked": sorted(self.state.blocked),
            "reactions": reactions,
            "faults": self.faults.pending(),
            "polls": self.poller.waiting,
            "log": len(self.state.log),
        }


def _ok(result: Any) -> Response:
    """JSON with every character beyond ASCII escaped, as the public server sends it, half a surrogate pair too."""
    return Response(json.dumps({"ok": True, "result": result}), media_type="application/json")


async def _json(request: Request) -> dict[str, Any]:
    given = json.loads(await request.body())
    if not isinstance(given, dict):
        raise ValueError("expected a JSON object")
    return given


def _refusing(handler: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """A test's mistake on the control API is a 400 that says what was wrong."""

    async def handle(request: Request) -> Response:
        try:
            return JSONResponse(await handler(request))
        except (ValueError, TypeError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)

    return handle
