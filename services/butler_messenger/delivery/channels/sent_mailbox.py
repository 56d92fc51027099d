"""The account's Sent mailbox as evidence: is there a message with this Message-ID (D41)?"""

from __future__ import annotations

import asyncio
import imaplib
import ssl
from dataclasses import dataclass
from typing import Final

import structlog

from butler_kit.config import SentMailbox
from butler_messenger.delivery.decisions import Evidence

__all__ = ["ImapSentMailbox"]

_log = structlog.get_logger(__name__)

_TIMEOUT_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class ImapSentMailbox:
    """Asks by IMAP SEARCH, read-only, one short connection a question."""

    server: SentMailbox
    username: str
    password: str

    async def find(self, message_id: str) -> Evidence:
        """`found`, `not_found`, or `unavailable` where the mailbox gave no answer."""
        try:
            found = await asyncio.to_thread(self._search, message_id)
        except (OSError, imaplib.IMAP4.error) as error:
            _log.warning("sent_mailbox_unavailable", problem=type(error).__name__)
            return "unavailable"
        return "found" if found else "not_found"

    def _search(self, message_id: str) -> bool:
        with self._connect() as connection:
            connection.login(self.username, self.password)
            status, _ = connection.select(_quoted(self.server.name), readonly=True)
            if status != "OK":
                raise imaplib.IMAP4.error("the sent mailbox cannot be selected")
            status, ids = connection.uid("SEARCH", "HEADER", "Message-ID", _quoted(message_id))
            if status != "OK":
                raise imaplib.IMAP4.error("the sent mailbox cannot be searched")
            return bool(ids and ids[0] and ids[0].split())

    def _connect(self) -> imaplib.IMAP4:
        if self.server.tls == "implicit":
            context = ssl.create_default_context()
            return imaplib.IMAP4_SSL(
                self.server.host, self.server.port, ssl_context=context, timeout=_TIMEOUT_S
            )
        connection = imaplib.IMAP4(self.server.host, self.server.port, timeout=_TIMEOUT_S)
        if self.server.tls == "starttls":
            connection.starttls(ssl.create_default_context())
        return connection


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
