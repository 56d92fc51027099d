"""The account's Sent mailbox as evidence: is there a message with this Message-ID (D41)?"""

from __future__ import annotations

import asyncio
import imaplib
from dataclasses import dataclass
from typing import Final

import structlog

from butler_kit.config import SentMailbox
from butler_kit.tls import client_context, distrust
from butler_messenger.delivery.decisions import Evidence

__all__ = ["ImapSentMailbox"]

_log = structlog.get_logger(__name__)

_TIMEOUT_S: Final = 20.0
_SAID_CHARS: Final = 200


class _Unusable(Exception):
    """The mailbox cannot be used as configured; the text is for the person."""


@dataclass(frozen=True, slots=True)
class ImapSentMailbox:
    """Queries by IMAP SEARCH, read-only, with one short connection per query."""

    server: SentMailbox
    username: str
    password: str

    async def find(self, message_id: str) -> Evidence:
        """Return `found`, `not_found`, or `unavailable` if the mailbox gave no answer."""
        try:
            found = await asyncio.to_thread(self._search, message_id)
        except (_Unusable, OSError, imaplib.IMAP4.error) as error:
            _log.warning("sent_mailbox_unavailable", problem=self._words(error))
            return "unavailable"
        return "found" if found else "not_found"

    async def problem(self) -> str | None:
        """Return in words why it cannot be queried now; None if it can."""
        try:
            await asyncio.to_thread(self._look)
        except (_Unusable, OSError, imaplib.IMAP4.error) as error:
            return self._words(error)
        return None

    def _look(self) -> None:
        with self._connect() as connection:
            self._open(connection)

    def _words(self, error: Exception) -> str:
        if isinstance(error, _Unusable):
            return str(error)
        place = f"{self.server.host}:{self.server.port}"
        return f"the sent mailbox at {place} cannot be asked ({distrust(error) or type(error).__name__})"

    def _open(self, connection: imaplib.IMAP4) -> None:
        try:
            connection.login(self.username, self.password)
        except UnicodeError:
            raise _Unusable(
                "the login to the sent mailbox has a letter that IMAP does not take: "
                "for [modules.email.bot.sent_mailbox] the account's address and password need plain letters"
            ) from None
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            raise _Unusable(
                f"the mail server refuses the login to the sent mailbox ({_said(error)}): "
                "check [modules.email.bot.sent_mailbox] and the account's password"
            ) from None
        status, _ = connection.select(_quoted(_wire(self.server.name)), readonly=True)
        if status != "OK":
            raise _Unusable(
                f"the account has no mailbox '{self.server.name}': "
                "check [modules.email.bot.sent_mailbox] name"
            )

    def _search(self, message_id: str) -> bool:
        with self._connect() as connection:
            self._open(connection)
            status, ids = connection.uid("SEARCH", "HEADER", "Message-ID", _quoted(message_id))
            if status != "OK":
                raise imaplib.IMAP4.error("the sent mailbox cannot be searched")
            return bool(ids and ids[0] and ids[0].split())

    def _connect(self) -> imaplib.IMAP4:
        if self.server.tls == "implicit":
            context = client_context()
            return imaplib.IMAP4_SSL(
                self.server.host, self.server.port, ssl_context=context, timeout=_TIMEOUT_S
            )
        connection = imaplib.IMAP4(self.server.host, self.server.port, timeout=_TIMEOUT_S)
        if self.server.tls == "starttls":
            connection.starttls(client_context())
        return connection


def _said(error: Exception) -> str:
    told = error.args[0] if error.args else ""
    text = told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)
    return " ".join(text.split())[:_SAID_CHARS]


def _wire(name: str) -> str:
    """Return a mailbox's name as IMAP has it: modified UTF-7 (RFC 3501 §5.1.3)."""
    if name.isascii() and "&" not in name:
        return name
    # Nobody else in Messenger's deliveries needs the library, which is several megabytes.
    from imapclient.imap_utf7 import encode

    return str(encode(name), "ascii")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
