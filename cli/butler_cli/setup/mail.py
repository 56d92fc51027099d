"""Reach a mailbox's servers and log in to them before anything is written (RFC 9051, RFC 4954).

Invariant: no text of this module contains the password, not even a server's own words.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

import aiosmtplib
from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientError, LoginError
from imapclient.imapclient import SENT

from butler_cli.setup.answers import Unacceptable
from butler_kit.tls import client_context, distrust
from butler_resources.kinds.base import Server

__all__ = ["log_in", "open_mailbox", "open_outbox", "reach"]

CONNECT_S: Final = 10.0
ANSWER_S: Final = 20.0
_SAID_CHARS: Final = 200


def reach(imap: Server, smtp: Server) -> None:
    """Raise `Unacceptable` unless both servers answer and speak the right protocol."""
    with _speaking(imap, "IMAP"), _imap(imap, os.environ):
        pass
    with _speaking(smtp, "SMTP"):
        asyncio.run(_smtp(smtp, None, os.environ))


def log_in(imap: Server, smtp: Server, *, address: str, password: str) -> str | None:
    """Log in to both; return the folder of sent mail, if the server names it. Raises `Unacceptable`."""
    folder = open_mailbox(imap, address, password)
    open_outbox(smtp, address, password)
    return folder


def open_mailbox(
    imap: Server, user: str, password: str, *, env: Mapping[str, str] = os.environ
) -> str | None:
    """Log in to read; return the folder of sent mail, if the server names it. Raises `Unacceptable`.

    `env` may name the household's own authorities.
    """
    try:
        with _speaking(imap, "IMAP"), _imap(imap, env) as client:
            client.login(user, password)
            with suppress(IMAPClientError):
                client.select_folder("INBOX", readonly=True)
            folder = client.find_special_folder(SENT)
    except LoginError as refused:
        raise Unacceptable(_refusal(imap, user, password, refused)) from None
    return str(folder) if folder else None


def open_outbox(smtp: Server, user: str, password: str, *, env: Mapping[str, str] = os.environ) -> None:
    """Log in to send; nothing is sent. Raises `Unacceptable`. `env` as above."""
    try:
        with _speaking(smtp, "SMTP"):
            asyncio.run(_smtp(smtp, (user, password), env))
    except aiosmtplib.SMTPAuthenticationError as refused:
        raise Unacceptable(_refusal(smtp, user, password, refused)) from None


def _refusal(server: Server, address: str, password: str, refused: Exception) -> str:
    # imapclient gives the repr of the server's bytes.
    words = re.sub(r"""^b(['"])(.*)\1$""", r"\2", str(refused))
    said = " ".join(words.split()).replace(password, "…")[:_SAID_CHARS]
    return (
        f"{server.host} does not let {address} in with this password (it says: {said}); "
        "many providers want an app password, made in the account's settings"
    )


@contextmanager
def _imap(server: Server, env: Mapping[str, str]) -> Iterator[IMAPClient]:
    context = client_context(env) if server.tls != "none" else None
    client = IMAPClient(
        server.host,
        port=server.port,
        ssl=server.tls == "implicit",
        ssl_context=context,
        timeout=SocketTimeout(connect=CONNECT_S, read=ANSWER_S),
    )
    try:
        if server.tls == "starttls":
            client.starttls(context)
        yield client
    finally:
        with suppress(OSError, IMAPClientError, AttributeError):
            client.shutdown()


async def _smtp(server: Server, account: tuple[str, str] | None, env: Mapping[str, str]) -> None:
    client = aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        use_tls=server.tls == "implicit",
        start_tls=server.tls == "starttls",
        tls_context=client_context(env) if server.tls != "none" else None,
        timeout=ANSWER_S,
    )
    try:
        await client.connect(timeout=CONNECT_S)
        await client.ehlo()
        offered = client.supports_extension("auth")
        if not offered and server.tls != "none":
            raise Unacceptable(
                f"{server.host}:{server.port} takes no login; the port for programs is mostly 465 or 587"
            )
        if offered and account is not None:
            await client.login(*account)
    finally:
        client.close()


@contextmanager
def _speaking(server: Server, kind: str) -> Iterator[None]:
    """Turn what keeps us from talking to the server into words; a refused login is passed on."""
    where = f"{kind} server {server.host}:{server.port}"
    try:
        yield
    except (LoginError, aiosmtplib.SMTPAuthenticationError, Unacceptable):
        raise
    except Exception as failure:
        raise Unacceptable(_words(where, failure)) from None


def _words(where: str, failure: Exception) -> str:
    distrusted = distrust(failure)
    if distrusted is not None:
        return f"{where}: {distrusted}"
    if isinstance(failure, ssl.SSLError):
        return (
            f"no TLS with {where} ({failure.reason or type(failure).__name__}); "
            "where TLS begins later, write /starttls behind the port"
        )
    return f"{where} {_why(failure)}; check its name and port"


def _why(failure: Exception) -> str:
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "is a name that nobody knows"
        if isinstance(cause, TimeoutError | aiosmtplib.SMTPTimeoutError):
            return "does not answer in time"
        if isinstance(cause, ConnectionRefusedError):
            return "refuses the connection"
        cause = cause.__cause__ or cause.__context__
    if isinstance(failure, OSError | aiosmtplib.SMTPConnectError):
        return f"cannot be reached ({type(failure).__name__})"
    return f"does not speak it ({type(failure).__name__})"
