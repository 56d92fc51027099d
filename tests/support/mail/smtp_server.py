"""An SMTP server on loopback that keeps what it accepts: aiosmtpd with a log, AUTH and scripted faults.

`python -m tests.support.mail.smtp_server --port N --log FILE [--user U --password P] [--control-port N]`.
RFC 5321, RFC 4954 (AUTH LOGIN, PLAIN); with `tls` TLS from the first byte, or after STARTTLS. Invariant: a mail is
in the log, on disk, before its 250 is sent; one whose 250 is withheld by the fault `drop` is in it too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.support.line_journal import append_line
from tests.support.loopback import HOST, LoopbackServer, free_socket, terminated

from .accepted_mail import AcceptedMail, accepted_mail, read_log

__all__ = ["AcceptedMail", "SmtpFault", "SmtpServer"]

_MAX_MAILS = 100_000
_MAX_MAIL_BYTES = 30_000_000
_MAX_DELAY_S = 600.0
_MAX_FAULTS = 1000


@dataclass(slots=True)
class SmtpFault:
    """For the next `count` mails: at `rcpt` or `data`, a `status` reply, a `drop` or a `slow` answer.

    `drop` at `data` accepts the mail and closes without the 250; at `rcpt` it only closes. `accept`, at `data` only,
    is a 250 in the words of `text`. A lone surrogate of `text` is sent as the byte that it escapes.
    """

    stage: str
    kind: str
    count: int = 1
    status: int = 451
    text: str = "4.3.0 scripted failure"
    delay_s: float = 1.0

    def __post_init__(self) -> None:
        if self.stage not in {"rcpt", "data"}:
            raise ValueError(f"fault stage {self.stage!r}: expected rcpt or data")
        if self.kind not in {"status", "drop", "slow", "accept"}:
            raise ValueError(f"fault kind {self.kind!r}: expected status, drop, slow or accept")
        if self.kind == "accept" and self.stage != "data":
            raise ValueError("fault kind 'accept': expected at data only")
        if not 400 <= self.status <= 599:
            raise ValueError("fault status: expected 400 to 599")
        if not 0 <= self.delay_s <= _MAX_DELAY_S:
            raise ValueError(f"fault delay_s: expected 0 to {_MAX_DELAY_S:g}")


class _Handler:
    """aiosmtpd's hooks: faults first, then the log."""

    def __init__(self, owner: SmtpServer) -> None:
        self._owner = owner

    async def handle_RCPT(
        self, server: SMTP, _: Session, envelope: Envelope, address: str, __: list[str]
    ) -> str | bytes:
        fault = self._owner.take("rcpt")
        if fault is not None and fault.kind == "status":
            return _said(fault.status, fault.text)
        if fault is not None and fault.kind == "drop":
            _cut(server)
        if fault is not None and fault.kind == "slow":
            await asyncio.sleep(fault.delay_s)
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, _: Session, envelope: Envelope) -> str | bytes:
        fault = self._owner.take("data")
        if fault is not None and fault.kind == "status":
            return _said(fault.status, fault.text)
        if fault is not None and fault.kind == "slow":
            await asyncio.sleep(fault.delay_s)
        accepted = self._owner.accept(envelope)
        if accepted is None:
            return "452 4.3.1 the test server's log is full"
        if fault is not None and fault.kind == "drop":
            _cut(server)
        if fault is not None and fault.kind == "accept":
            return _said(250, fault.text)
        return f"250 2.0.0 OK queued as {accepted.seq}"


def _said(status: int, text: str) -> bytes:
    return f"{status} {text}".encode("utf-8", "surrogateescape")


def _cut(server: SMTP) -> None:
    if isinstance(server.transport, asyncio.WriteTransport):
        server.transport.abort()


class SmtpServer:
    """One SMTP server on one loopback port; an async context manager.

    With `log` accepted mails are appended there as JSON lines and read again at start. With `user` and
    `password` AUTH is required. `accepted` holds the mails in order. `most_bytes` is what it says that it takes
    (RFC 1870).
    """

    def __init__(
        self,
        *,
        port: int = 0,
        log: Path | None = None,
        user: str | None = None,
        password: str | None = None,
        clock: Callable[[], float] = time.time,
        tls: ssl.SSLContext | None = None,
        starttls: bool = False,
        smtputf8: bool = True,
        most_bytes: int = _MAX_MAIL_BYTES,
    ) -> None:
        self._most_bytes = most_bytes
        self._smtputf8 = smtputf8
        self._tls = tls
        self._starttls = starttls
        self._requested_port = port
        self._log = log
        self._credentials = (user, password) if user is not None else None
        self._clock = clock
        self._faults: list[SmtpFault] = []
        self._server: asyncio.Server | None = None
        self._sessions: list[SMTP] = []
        self._activity = asyncio.Event()
        self.accepted: list[AcceptedMail] = read_log(log)

    @property
    def host(self) -> str:
        return HOST

    @property
    def port(self) -> int:
        if self._server is None:
            raise RuntimeError("the server has not been started")
        return int(self._server.sockets[0].getsockname()[1])

    def script(self, fault: SmtpFault) -> None:
        if len(self._faults) >= _MAX_FAULTS:
            raise ValueError(f"at most {_MAX_FAULTS} faults may be scripted: clear them first")
        self._faults.append(fault)

    def clear_faults(self) -> None:
        self._faults.clear()

    def take(self, stage: str) -> SmtpFault | None:
        """The fault that meets this stage now, used up by one."""
        for fault in self._faults:
            if fault.stage == stage:
                fault.count -= 1
                if fault.count <= 0:
                    self._faults.remove(fault)
                return fault
        return None

    def accept(self, envelope: Envelope) -> AcceptedMail | None:
        """Keep one mail; None when the log is full."""
        if len(self.accepted) >= _MAX_MAILS:
            return None
        mail = accepted_mail(envelope, seq=len(self.accepted) + 1, now=self._clock())
        if self._log is not None:
            append_line(self._log, mail.to_json())
        self.accepted.append(mail)
        self._activity.set()
        self._activity = asyncio.Event()
        return mail

    async def until(self, reached: Callable[[Self], bool], *, timeout_s: float = 90.0) -> None:
        """Wait until the condition holds, e.g. `lambda smtp: len(smtp.accepted) == 2`; else TimeoutError."""
        async with asyncio.timeout(timeout_s):
            while not reached(self):
                await self._activity.wait()

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            self._session,
            sock=free_socket(self._requested_port),
            ssl=None if self._starttls else self._tls,
        )

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for session in self._sessions:
            _cut(session)

    def _session(self) -> SMTP:
        self._sessions = [session for session in self._sessions if session.transport is not None][-1000:]
        session = SMTP(
            _Handler(self),
            hostname="smtp.butlers.test",
            data_size_limit=self._most_bytes,
            enable_SMTPUTF8=self._smtputf8,
            auth_required=self._credentials is not None,
            # Without credentials AUTH is not offered: aiosmtpd would offer it and refuse every password.
            auth_require_tls=self._credentials is None,
            tls_context=self._tls if self._starttls else None,
            require_starttls=self._starttls,
            authenticator=self._authenticate if self._credentials is not None else None,
        )
        self._sessions.append(session)
        return session

    def _authenticate(self, _: SMTP, __: Session, ___: Envelope, mechanism: str, data: Any) -> AuthResult:
        if mechanism not in {"LOGIN", "PLAIN"} or not isinstance(data, LoginPassword):
            return AuthResult(success=False, handled=False)
        given = (data.login.decode("utf-8", "replace"), data.password.decode("utf-8", "replace"))
        return AuthResult(success=given == self._credentials, handled=False)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


def control_app(server: SmtpServer) -> Starlette:
    """`POST|DELETE /control/faults` (see SmtpFault) · `GET /control/log?since=SEQ` (without raw bytes)."""

    async def faults(request: Request) -> Response:
        if request.method == "DELETE":
            server.clear_faults()
            return JSONResponse({"faults": 0})
        try:
            server.script(SmtpFault(**json.loads(await request.body())))
        except (ValueError, TypeError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        return JSONResponse({"scripted": True})

    async def log(request: Request) -> Response:
        since = max(int(request.query_params.get("since", "0")), 0)
        mails = [asdict(mail) for mail in server.accepted[since:]]
        return JSONResponse({"log": [{k: v for k, v in mail.items() if k != "raw"} for mail in mails]})

    return Starlette(
        routes=[
            Route("/control/faults", faults, methods=["POST", "DELETE"]),
            Route("/control/log", log),
        ]
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="smtp_server", description="An SMTP server for tests.")
    parser.add_argument("--port", type=int, required=True, help="loopback port; 0 takes a free one")
    parser.add_argument("--log", type=Path, required=True, help="JSON lines of the accepted mails")
    parser.add_argument("--user", help="require AUTH with this name")
    parser.add_argument("--password", help="the password of --user")
    parser.add_argument("--control-port", type=int, default=0, help="loopback port of the control API")
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace) -> None:
    server = SmtpServer(
        port=arguments.port, log=arguments.log, user=arguments.user, password=arguments.password
    )
    async with server, LoopbackServer(control_app(server), port=arguments.control_port) as control:
        print(f"smtp_server listening on {HOST}:{server.port} control {control.url}", flush=True)
        await terminated()


if __name__ == "__main__":
    asyncio.run(_serve(_arguments()))
