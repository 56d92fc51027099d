"""The TCP connection below an IMAP client, which another thread may cut at any moment, even during connect.

Invariant: after `cut` nothing waits on this connection any more, and none is made. Only a name lookup is not cut.
"""

from __future__ import annotations

import contextlib
import imaplib
import socket
import ssl
import threading
from typing import Any

from imapclient import IMAPClient, SocketTimeout

__all__ = ["Line", "LineClient"]


class Line:
    """One connection to `host`; `cut` and `close` may be called from any thread."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self._lock = threading.Lock()
        self._handle: socket.socket | None = None
        self._is_cut = False

    def dial(self, *, timeout_s: float, tls: ssl.SSLContext | None) -> socket.socket:
        """Connect, with TLS from the first byte when asked; raises `OSError`."""
        failure: OSError = ConnectionError(f"{self.host} has no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(
            self.host, self.port, type=socket.SOCK_STREAM
        ):
            dialled = socket.socket(family, kind, protocol)
            try:
                dialled.settimeout(timeout_s)
                self._keep(dialled)
                dialled.connect(address)
                return tls.wrap_socket(dialled, server_hostname=self.host) if tls is not None else dialled
            except OSError as error:
                dialled.close()
                failure = error
        raise failure

    def cut(self) -> None:
        """End every wait on the connection, and refuse to open another."""
        with self._lock:
            self._is_cut = True
            if self._handle is not None:
                with contextlib.suppress(OSError):
                    self._handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Release the connection."""
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is not None:
            handle.close()

    def _keep(self, dialled: socket.socket) -> None:
        """Keep a second handle: the first one changes hands while TLS is set up."""
        self.close()
        with self._lock:
            if self._is_cut:
                raise ConnectionAbortedError("the connection was given up")
            self._handle = dialled.dup()


class LineClient(IMAPClient):  # type: ignore[misc]  # the library has no types
    """The library's client on a `Line`."""

    def __init__(self, line: Line, *, tls: ssl.SSLContext | None, timeout: SocketTimeout) -> None:
        self._line = line
        self._tls = tls
        super().__init__(line.host, port=line.port, ssl=tls is not None, ssl_context=tls, timeout=timeout)

    def _create_IMAP4(self) -> imaplib.IMAP4:  # noqa: N802 - the library's name
        return _Imap4(self._line, self._tls, self._timeout.connect)


class _Imap4(imaplib.IMAP4):
    def __init__(self, line: Line, tls: ssl.SSLContext | None, timeout_s: float) -> None:
        self._line = line
        self._tls = tls
        self._timeout_s = timeout_s
        super().__init__(line.host, line.port)

    def _create_socket(self, timeout: Any = None) -> socket.socket:
        return self._line.dial(timeout_s=self._timeout_s, tls=self._tls)
