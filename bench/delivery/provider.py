"""A Bot API that answers `sendMessage` and `setMessageReaction` at once, in its own process.

`python -m bench.delivery.provider` prints its port. `GET /log` returns the calls since the last `GET /log`: one
`[time, method, chat, text]` per call, the time as CLOCK_MONOTONIC of this machine. Between `GET /hold` and
`GET /release` it answers late, but while its caller still waits, so that nothing becomes uncertain. It stores nothing
else, to keep its own cost small; the faithful test server is `tests/support/telegram_api`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import time
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from starlette.types import Receive, Scope, Send

__all__ = ["InstantBotApi"]

_BOT = {"id": 1, "is_bot": True, "first_name": "Bench", "username": "bench_bot"}
_LATE_S = 5.0
"""Well below the 15 s that Messenger waits for an answer."""


class InstantBotApi:
    """The ASGI application."""

    def __init__(self) -> None:
        self._log: list[tuple[float, str, str, str]] = []
        self._ids = itertools.count(1)
        self._answering = asyncio.Event()
        self._answering.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        method = scope["path"].rpartition("/")[2]
        answer = self._control(method)
        if answer is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._answering.wait(), _LATE_S)
            answer = self._answer(method, body)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    def _control(self, method: str) -> bytes | None:
        if method == "hold":
            self._answering.clear()
        elif method == "release":
            self._answering.set()
        else:
            return self._taken() if method == "log" else None
        return b"{}"

    def _taken(self) -> bytes:
        taken, self._log = self._log, []
        return json.dumps(taken).encode()

    def _answer(self, method: str, body: bytes) -> bytes:
        said = {key: values[0] for key, values in parse_qs(body.decode()).items()}
        chat = said.get("chat_id", "0")
        result: Any = True
        if method == "sendMessage":
            number = next(self._ids)
            chat_of = {"id": int(chat), "type": "private", "first_name": "Member"}
            result = {
                "message_id": number,
                "date": int(time.time()),
                "chat": chat_of,
                "from": _BOT,
                "text": said.get("text", ""),
            }
        if method != "getMe":
            self._log.append((time.monotonic(), method, chat, said.get("text", "")))
        else:
            result = _BOT
        return json.dumps({"ok": True, "result": result}).encode()


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        part: bytes = message.get("body", b"")
        body += part
        if not message.get("more_body", False):
            return body


def main() -> None:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(
        InstantBotApi(), loop="uvloop", http="httptools", lifespan="off", log_level="error", access_log=False
    )
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
