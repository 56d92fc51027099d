"""The server: one port, three protocols, streamed where that is asked, a behaviour that may change, and a journal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.support.loopback import LoopbackServer, abort_connection
from tests.support.model_api.behaviour import BEHAVIOURS, Answer, Asked, Behaviour
from tests.support.model_api.streams import streamed
from tests.support.model_api.wire import answered, asked, failed

__all__ = ["ModelServer"]

STATUSES = (400, 401, 403, 404, 429, 500, 503, 529)
BREAKS = ("garbage", "html", "wrong_shape", "cut", "stall", "reset", "hang", "redirect", "compressed", "huge")


class ModelServer:
    """`behaviour` names one of `BEHAVIOURS`, a status (`"429"`) or a way to break off (`"cut"`); `models` limits what
    is served; `key`, when set, is the only one that is accepted. `script` holds behaviours for the next questions,
    `by_model` those of single models. A function of the question will do for any of them.
    """

    def __init__(
        self, behaviour: str | Behaviour = "route", *, key: str | None = None, port: int = 0
    ) -> None:
        self.behaviour = behaviour
        self.script: list[str | Behaviour] = []
        self.by_model: dict[str, str | Behaviour] = {}
        self.key = key
        self.models: set[str] | None = None
        self.retry_after: str | None = None
        self.pause_s = 0.0
        """How long each answer takes."""
        self.asked: list[Asked] = []
        self.refused: list[str] = []
        self._server = LoopbackServer(self.app(), port=port)

    @property
    def url(self) -> str:
        return self._server.url

    def base_url(self, provider: str) -> str:
        """What a manifest calls `baseUrl`."""
        return self.url if provider == "anthropic" else f"{self.url}/v1"

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._openai, methods=["POST"]),
                Route("/v1/messages", self._anthropic, methods=["POST"]),
                Route("/v1/responses", self._responses, methods=["POST"]),
                Route("/v1/models", self._listed, methods=["GET"]),
            ]
        )

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.stop()

    async def _openai(self, request: Request) -> Response:
        return await self._answer("openai", request)

    async def _anthropic(self, request: Request) -> Response:
        return await self._answer("anthropic", request)

    async def _responses(self, request: Request) -> Response:
        return await self._answer("responses", request)

    async def _listed(self, request: Request) -> Response:
        provider = "anthropic" if "anthropic-version" in request.headers else "openai"
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix(
            "Bearer "
        )
        if self.key is not None and key != self.key:
            return _error(provider, 401, "invalid key")
        names = sorted(self.models or {"stub"})
        return JSONResponse({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})

    async def _answer(self, provider: str, request: Request) -> Response:
        try:
            question = asked(provider, await request.json(), request.headers)
        except (ValueError, KeyError, TypeError) as wrong:
            self.refused.append(str(wrong))
            return _error(provider, 400, str(wrong))
        self.asked.append(question)
        if self.key is not None and question.key != self.key:
            return _error(provider, 401, f"invalid key {question.key}")
        if self.models is not None and question.model not in self.models:
            return _error(provider, 404, f"no model {question.model}")
        await asyncio.sleep(self.pause_s)
        behaviour = self.script.pop(0) if self.script else self.by_model.get(question.model, self.behaviour)
        if callable(behaviour):
            return _whole(question, behaviour(question))
        if behaviour.isdigit():
            return self._status(provider, int(behaviour), question)
        if behaviour in BREAKS:
            return await self._break(behaviour, request, question)
        return _whole(question, BEHAVIOURS[behaviour](question))

    def _status(self, provider: str, status: int, question: Asked) -> Response:
        response = _error(provider, status, f"refused with key {question.key}: {question.user}")
        if self.retry_after is not None:
            response.headers["retry-after"] = self.retry_after
        return response

    async def _break(self, how: str, request: Request, question: Asked) -> Response:
        body: Any = answered(question, BEHAVIOURS["route"](question))
        if how == "reset":
            await abort_connection(request.scope, request.receive)
        elif how == "hang":
            while (await request.receive())["type"] != "http.disconnect":
                continue
        broken: dict[str, Callable[[], Response]] = {
            "garbage": lambda: Response(b'\x00\xff{"choices": [', media_type="application/json"),
            "html": lambda: PlainTextResponse("<html>welcome</html>", media_type="text/html"),
            "wrong_shape": lambda: JSONResponse({"id": 1, "choices": "none", "content": 7, "usage": []}),
            "redirect": lambda: Response(status_code=307, headers={"location": f"{self.url}/v1/elsewhere"}),
            "compressed": lambda: JSONResponse(body, headers={"content-encoding": "gzip"}),
            "huge": lambda: JSONResponse(body | {"padding": "x" * 2_000_000}),
            "cut": lambda: _Cut(_text(question, body).encode(), request),
            "stall": lambda: StreamingResponse(
                _stalled(_text(question, body)), media_type="text/event-stream"
            ),
        }
        return broken.get(how, Response)()


class _Cut(Response):
    """Half of a body, then a reset."""

    def __init__(self, body: bytes, request: Request) -> None:
        super().__init__(status_code=200, media_type="application/json")
        self._half = body[: len(body) // 2]
        self._whole = len(body)
        self._request = request

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", str(self._whole).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self._half, "more_body": True})
        await asyncio.sleep(0.05)
        await abort_connection(scope, receive)


def _whole(question: Asked, answer: Answer) -> Response:
    body = answered(question, answer)
    if question.body.get("stream"):
        return Response(streamed(question.provider, body), media_type="text/event-stream")
    return JSONResponse(body)


def _text(question: Asked, body: Any) -> str:
    return streamed(question.provider, body) if question.body.get("stream") else json.dumps(body)


async def _stalled(text: str) -> AsyncIterator[str]:
    """The beginning of a stream, and nothing more for as long as somebody listens."""
    yield text[: len(text) // 3]
    await asyncio.sleep(3_600)


def _error(provider: str, status: int, words: str) -> JSONResponse:
    return JSONResponse(failed(provider, status, words), status_code=status)
