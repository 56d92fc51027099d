"""One IMAP connection, blocking, read-only (RFC 9051): runs in a thread of its own.

Invariants: the mailbox is opened with EXAMINE and bodies are fetched with PEEK, so nothing is ever marked; every
network wait has a deadline; a failure is a `MailFault` that says what to do.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final, TypeAlias

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, LoginError, ProtocolError

from butler_contracts.text import excerpt
from butler_kit.mail.account import MailAccount
from butler_kit.mail.labels import labels_of
from butler_kit.mail.line import Line, LineClient
from butler_kit.mail.normalize import FetchedMail
from butler_kit.mail.outline import assemble, described_parts, structure_of, text_parts
from butler_kit.mail.searching import Wanted, searches
from butler_kit.sources.faults import SourceFault
from butler_kit.tls import client_context, distrust

__all__ = ["WHOLE_MAX_BYTES", "ImapSession", "MailFault", "MailSize", "Selected", "Tracks"]

Tracks: TypeAlias = Callable[[str], contextlib.AbstractContextManager[None]]
"""Counts what happens inside under the name of an IMAP command."""

WHOLE_MAX_BYTES: Final = 1024 * 1024
"""Larger mails are read by their text parts only; if the server cannot describe the parts, up to this length."""
HEADERS_MAX_BYTES: Final = 32 * 1024
"""The limit of each header in a list of mails."""
_GLANCE_BYTES: Final = 1024
_WORDS_CHARS: Final = 200
_CONNECT_S: Final = 15.0
_READ_S: Final = 30.0


class MailFault(SourceFault):
    """The mailbox cannot be read now; `blocked` when a person has to fix something."""

    def __init__(self, message: str, *, kind: str, blocked: bool = False) -> None:
        super().__init__(message, kind=kind)
        self.blocked = blocked


@dataclass(frozen=True)
class Selected:
    """The mailbox as it was opened."""

    uid_validity: int
    uid_next: int


@dataclass(frozen=True)
class MailSize:
    """What is known of a mail before its body is fetched."""

    uid: int
    size_bytes: int
    internal_date: datetime
    labels: tuple[str, ...] = ()


class ImapSession:
    """A logged-in connection; `abort` may be called from another thread and ends a running wait."""

    def __init__(self, account: MailAccount, track: Tracks) -> None:
        self._account = account
        self._track = track
        self._client: IMAPClient | None = None
        self._line = Line(account.host, account.port)
        self._described = ["RFC822.SIZE", "INTERNALDATE", "FLAGS"]
        self.can_idle = False

    def open(self) -> Selected:
        """Connect, log in and open the mailbox."""
        with self._call("connect"):
            self._client = self._connect()
        with self._call("login"):
            self._open_client.login(self._account.username, self._account.password)
        with self._call("select"):
            answer = self._open_client.select_folder(self._account.mailbox, readonly=True)
            self.can_idle = bool(self._open_client.has_capability("IDLE"))
            if self._open_client.has_capability("X-GM-EXT-1"):
                self._described.append("X-GM-LABELS")
        # Keep the zone of INTERNALDATE.
        self._open_client.normalise_times = False
        uid_next = answer.get(b"UIDNEXT") or max([0, *self.search(1, since=None)]) + 1
        return Selected(int(answer[b"UIDVALIDITY"]), int(uid_next))

    def search(self, first_uid: int, *, since: date | None, last_uid: int | None = None) -> list[int]:
        """Return the UIDs from `first_uid` (to `last_uid`), in order; `since` omits mail of earlier days."""
        if last_uid is not None and last_uid < first_uid:
            return []
        criteria: list[Any] = ["UID", f"{first_uid}:{last_uid or '*'}"]
        with self._call("search"):
            found = self._open_client.search(criteria + (["SINCE", since] if since is not None else []))
        # `n:*` names the last mail even when it lies before n.
        return sorted(int(uid) for uid in found if int(uid) >= first_uid)

    def search_between(self, first_uid: int, last_uid: int, *, since: date, before: date) -> list[int]:
        """Return the UIDs of a range with mail from day `since` up to the day before `before`, in order."""
        criteria: list[Any] = ["UID", f"{first_uid}:{last_uid}", "SINCE", since, "BEFORE", before]
        with self._call("search"):
            found = self._open_client.search(criteria)
        return sorted(int(uid) for uid in found if first_uid <= int(uid) <= last_uid)

    def matching(self, wanted: Wanted) -> list[int]:
        """Return the UIDs of the mails that match everything in `wanted`, in order."""
        found: set[int] | None = None
        for criteria, charset in searches(wanted):
            with self._call("search"):
                uids = {int(uid) for uid in self._open_client.search(criteria, charset)}
            found = uids if found is None else found & uids
        return sorted(found or ())

    def headers(self, uids: Sequence[int]) -> dict[int, bytes]:
        """Return the beginning of each mail's header; one that was removed meanwhile is left out."""
        with self._call("fetch"):
            answer = self._open_client.fetch(list(uids), [f"BODY.PEEK[HEADER]<0.{HEADERS_MAX_BYTES}>"])
        found = {uid: _sections_in(item).get("HEADER") for uid, item in answer.items()}
        return {uid: content for uid, content in found.items() if content is not None}

    def sizes(self, uids: Sequence[int]) -> list[MailSize]:
        """Return size and date of mails; one that was removed meanwhile is left out."""
        with self._call("fetch"):
            answer = self._open_client.fetch(list(uids), self._described)
        found = []
        for uid in uids:
            item = answer.get(uid)
            if item and isinstance(item.get(b"RFC822.SIZE"), int):
                moment = _aware(item.get(b"INTERNALDATE"))
                found.append(MailSize(uid, item[b"RFC822.SIZE"], moment, labels_of(item)))
        return found

    def fetch(self, mail: MailSize, *, uid_validity: int) -> FetchedMail | None:
        """Fetch the mail, or the text parts of a large one; None when it was removed meanwhile."""
        if mail.size_bytes > WHOLE_MAX_BYTES:
            outlined = self._outlined(mail, uid_validity)
            if outlined is not None:
                return outlined
        item = "BODY.PEEK[]" if mail.size_bytes <= WHOLE_MAX_BYTES else f"BODY.PEEK[]<0.{WHOLE_MAX_BYTES}>"
        content = self._sections(mail.uid, [item]).get("")
        if content is None:
            return None
        size = max(mail.size_bytes, len(content)) if len(content) >= WHOLE_MAX_BYTES else len(content)
        return FetchedMail(mail.uid, uid_validity, mail.internal_date, size, content, labels=mail.labels)

    def _outlined(self, mail: MailSize, uid_validity: int) -> FetchedMail | None:
        """Fetch the mail by its structure; None when the server gives none that can be understood."""
        with self._call("fetch"):
            answer = self._open_client.fetch([mail.uid], ["BODYSTRUCTURE"]).get(mail.uid, {})
        root = structure_of(answer.get(b"BODYSTRUCTURE"))
        if root is None:
            return None
        found = self._sections(mail.uid, described_parts(root))
        if not found.get("HEADER"):
            return None
        for item in text_parts(root, found):
            found.update(self._sections(mail.uid, [item]))
        read_bytes = sum(len(content) for content in found.values())
        return FetchedMail(
            mail.uid,
            uid_validity,
            mail.internal_date,
            mail.size_bytes,
            b"",
            outline=assemble(root, found),
            read_bytes=read_bytes,
            labels=mail.labels,
        )

    def _sections(self, uid: int, items: list[str]) -> dict[str, bytes]:
        """Return what the server gives, by section name: `2.1.MIME` for `BODY[2.1.MIME]<0>`."""
        with self._call("fetch"):
            answer = self._open_client.fetch([uid], items).get(uid, {})
        return _sections_in(answer)

    def hands_out(self, uid: int) -> bool:
        """Return whether the server gives the beginning of this mail; raises for a connection that breaks."""
        try:
            return "" in self._sections(uid, [f"BODY.PEEK[]<0.{_GLANCE_BYTES}>"])
        except MailFault as fault:
            if fault.kind == "imap_error":
                return False
            raise

    def wait_for_news(self, seconds: float) -> bool:
        """Wait until the server says something (RFC 2177), at most `seconds`; return whether it did."""
        with self._call("idle"):
            client = self._open_client
            client.idle()
            spoke = _readable(client.socket(), seconds)
            _, responses = client.idle_done()
            return spoke or bool(responses)

    def abort(self) -> None:
        """Cut the connection, even while it is being made; a wait in another thread ends at once."""
        self._line.cut()

    def close(self) -> None:
        """Close without asking the server."""
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(OSError, IMAPClientError, AttributeError):
                client.shutdown()
        self._line.close()

    @property
    def _open_client(self) -> IMAPClient:
        if self._client is None:
            raise MailFault("the connection to the mail server is closed", kind="connection_error")
        return self._client

    def _connect(self) -> IMAPClient:
        tls = self._account.tls
        context = client_context() if tls != "none" else None
        client = LineClient(
            self._line,
            tls=context if tls == "implicit" else None,
            timeout=SocketTimeout(connect=_CONNECT_S, read=_READ_S),
        )
        if tls == "starttls":
            client.starttls(context)
        return client

    @contextlib.contextmanager
    def _call(self, command: str) -> Iterator[None]:
        with self._track(command):
            try:
                yield
            except MailFault:
                raise
            except Exception as error:
                raise self._fault(command, error) from None

    def _fault(self, command: str, error: Exception) -> MailFault:
        account, names = self._account, self._account.settings
        where = f"{account.host}:{account.port}"
        if isinstance(error, LoginError):
            return MailFault(
                f"{where} refuses the login of {account.username}; check {names.login}",
                kind="unauthorized",
                blocked=True,
            )
        if isinstance(error, TimeoutError):
            return MailFault(f"{where} did not answer {command} in time", kind="timeout")
        if isinstance(error, ssl.SSLError):
            why = distrust(error) or f"{error.reason}; check {names.tls}"
            return MailFault(f"no TLS with {where}: {why}", kind="connection_error")
        if isinstance(error, OSError | IMAPClientAbortError):
            return MailFault(f"{where} cannot be reached ({type(error).__name__})", kind="connection_error")
        if isinstance(error, IMAPClientError) and command == "select":
            return MailFault(
                f"{where} does not open the mailbox '{account.mailbox}'; check {names.mailbox}",
                kind="no_mailbox",
                blocked=True,
            )
        kind = (
            "bad_answer"
            if isinstance(error, ProtocolError | ValueError | KeyError | TypeError)
            else "imap_error"
        )
        words = excerpt(str(error), limit=_WORDS_CHARS) or type(error).__name__
        return MailFault(f"{where} did not do {command} ({words})", kind=kind)


def _sections_in(answer: Mapping[bytes, Any]) -> dict[str, bytes]:
    return {
        bytes(key).partition(b"[")[2].partition(b"]")[0].decode("ascii", "replace").upper(): value
        for key, value in answer.items()
        if bytes(key).startswith(b"BODY[") and isinstance(value, bytes)
    }


def _readable(connection: socket.socket, seconds: float) -> bool:
    """Return whether bytes came. (`idle_check()` does not block and breaks on a line sent in pieces.)"""
    if isinstance(connection, ssl.SSLSocket) and connection.pending():
        return True
    # Not epoll: it forgets a socket that is closed just after it was cut, and the wait would run its full time.
    with selectors.PollSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return bool(selector.select(seconds))


def _aware(value: object) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return datetime(1970, 1, 1, tzinfo=UTC)
