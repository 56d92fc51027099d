"""An IMAP server on loopback: pymap with one user, one stored INBOX and a control port.

`python -m tests.support.mail.imap_server --port N --user U --password P [--state DIR] [--control-port N]`.
IMAP4rev1 with LOGIN, AUTH=PLAIN, UIDPLUS, IDLE (RFC 3501, 2177, 4315); TLS from the first byte with `tls`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import ssl
from argparse import Namespace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from proxyprotocol.sock import SocketInfoLocal
from pymap.backend.dict import DictBackend
from pymap.backend.dict.filter import FilterSet
from pymap.imap import IMAPServer
from pymap.parsing.message import AppendMessage
from pysasl.hashing import BuiltinHash
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.support.loopback import HOST, LoopbackServer, free_socket, terminated

from .mailbox_store import StoredInbox, stored_mailboxes

__all__ = ["ImapServer"]

_MAX_CONNECTIONS = 100
_MAX_MAIL_BYTES = 60_000_000


class ImapServer:
    """One mailbox on one loopback port; an async context manager.

    `deliver` puts a mail into INBOX, `change_uid_validity` makes all UIDs void, `drop_connections` cuts
    every client, `refuse_connections` cuts new ones at once until it is switched off.
    """

    def __init__(
        self,
        *,
        user: str,
        password: str,
        port: int = 0,
        state: Path | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._tls = tls
        self._user = user
        self._password = password
        self._requested_port = port
        self._state = state
        self._inbox: StoredInbox | None = None
        self._imap: Any = None
        self._server: asyncio.Server | None = None
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self.refuse_connections = False
        self.connections_seen = 0

    @property
    def host(self) -> str:
        return HOST

    @property
    def port(self) -> int:
        if self._server is None:
            raise RuntimeError("the server has not been started")
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def inbox(self) -> StoredInbox:
        if self._inbox is None:
            raise RuntimeError("the server has not been started")
        return self._inbox

    @property
    def uid_validity(self) -> int:
        return int(self.inbox.uid_validity)

    @property
    def connections(self) -> int:
        """How many clients are connected now."""
        return len(self._tasks)

    async def deliver(self, raw: bytes, *, when: datetime | None = None) -> int:
        """Put a mail into INBOX as a delivery agent would, byte for byte, now or dated `when`; returns its UID."""
        if len(raw) > _MAX_MAIL_BYTES:
            raise ValueError(f"a mail of {len(raw)} bytes: at most {_MAX_MAIL_BYTES} are taken")
        message = await self.inbox.append(AppendMessage(raw, when, frozenset()), recent=True)
        return int(message.uid)

    def change_uid_validity(self, uid_validity: int | None = None) -> int:
        """Set another UIDVALIDITY (default: the next number) and cut every client, who must SELECT again."""
        self.inbox.change_uid_validity(uid_validity or self.uid_validity + 1)
        self.drop_connections()
        return self.uid_validity

    def drop_connections(self) -> int:
        """Cut every client without a word (TCP reset); returns how many there were."""
        for writer in self._tasks.values():
            writer.transport.abort()
        return len(self._tasks)

    async def start(self) -> None:
        arguments = Namespace(
            demo_data=False, demo_user=self._user, demo_password=self._password, host=HOST, port="0",
            tls=False, cert=None, key=None, proxy_protocol=None, passlib_cfg=None, debug=False,
        )  # fmt: skip
        # Half a million rounds for each sign-in would be most of what a test of mail costs.
        backend, config = await DictBackend.init(arguments, hash_context=BuiltinHash(rounds=1))
        config.apply_context()
        mailboxes, self._inbox = await stored_mailboxes(self._state)
        config.set_cache[self._user] = (mailboxes, FilterSet())
        self._imap = IMAPServer(backend.login, config)
        self._server = await asyncio.start_server(
            self._connected, sock=free_socket(self._requested_port), ssl=self._tls
        )

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        self.drop_connections()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self.connections_seen += 1
        if task is None or self.refuse_connections or len(self._tasks) >= _MAX_CONNECTIONS:
            writer.transport.abort()
            return
        self._tasks[task] = writer
        try:
            with contextlib.suppress(ConnectionError, EOFError, asyncio.CancelledError):
                await self._imap(reader, writer, SocketInfoLocal(writer, unique_id=b""))
        finally:
            del self._tasks[task]

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


def control_app(server: ImapServer) -> Starlette:
    """`POST /control/mails` (raw mail) · `POST /control/uidvalidity` · `POST /control/drop` ·
    `POST /control/refuse {"refuse": bool}` · `GET /control/state`."""

    async def mails(request: Request) -> Response:
        return JSONResponse({"uid": await server.deliver(await request.body())})

    async def uid_validity(request: Request) -> Response:
        given = json.loads(await request.body() or b"{}").get("uid_validity")
        return JSONResponse({"uid_validity": server.change_uid_validity(given)})

    async def drop(_: Request) -> Response:
        return JSONResponse({"dropped": server.drop_connections()})

    async def refuse(request: Request) -> Response:
        server.refuse_connections = bool(json.loads(await request.body())["refuse"])
        return JSONResponse({"refuse": server.refuse_connections})

    async def state(_: Request) -> Response:
        snapshot = await server.inbox.snapshot()
        return JSONResponse(
            {
                "uid_validity": server.uid_validity,
                "mails": snapshot.exists,
                "next_uid": snapshot.next_uid,
                "connections": server.connections,
            }
        )

    return Starlette(
        routes=[
            Route("/control/mails", mails, methods=["POST"]),
            Route("/control/uidvalidity", uid_validity, methods=["POST"]),
            Route("/control/drop", drop, methods=["POST"]),
            Route("/control/refuse", refuse, methods=["POST"]),
            Route("/control/state", state),
        ]
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="imap_server", description="An IMAP server for tests.")
    parser.add_argument("--port", type=int, required=True, help="loopback port; 0 takes a free one")
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--state", type=Path, help="folder that keeps the mails; default: memory")
    parser.add_argument("--control-port", type=int, default=0, help="loopback port of the control API")
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace) -> None:
    server = ImapServer(
        user=arguments.user, password=arguments.password, port=arguments.port, state=arguments.state
    )
    async with server, LoopbackServer(control_app(server), port=arguments.control_port) as control:
        print(f"imap_server listening on {HOST}:{server.port} control {control.url}", flush=True)
        await terminated()


if __name__ == "__main__":
    asyncio.run(_serve(_arguments()))
