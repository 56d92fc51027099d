"""Keeps pymap's in-memory INBOX in a folder: UIDVALIDITY, next UID, and one file per mail.

pymap 0.36.7 has two back ends: `maildir` re-serialises each mail (bytes change) and notices new mail by
polling; `dict` keeps the bytes and notifies IDLE at once, but forgets everything at exit. This module adds
the memory to `dict`. Invariant: what a client was told (UID, UIDVALIDITY) is true again after a restart.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from pymap.backend.dict.mailbox import MailboxData, MailboxSet, Message
from pymap.flags import FlagOp
from pymap.interfaces.message import CachedMessage
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials.flag import Flag

__all__ = ["MailFolder", "StoredInbox", "stored_mailboxes"]

_FIRST_UID = 1


@dataclass(frozen=True, slots=True)
class MailFolder:
    """The files of one mailbox: `mailbox.json`, `<uid>.eml`, `<uid>.json` (internal date, flags)."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> Self:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(path)

    def load_header(self) -> dict[str, int]:
        file = self.path / "mailbox.json"
        if not file.exists():
            return {}
        header: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))
        return header

    def save_header(self, *, uid_validity: int, max_uid: int) -> None:
        self._replace("mailbox.json", json.dumps({"uid_validity": uid_validity, "max_uid": max_uid}).encode())

    def save_mail(self, uid: int, raw: bytes, when: datetime, flags: Iterable[Flag]) -> None:
        self._replace(f"{uid}.eml", raw)
        self.save_flags(uid, when, flags)

    def save_flags(self, uid: int, when: datetime, flags: Iterable[Flag]) -> None:
        described = {
            "internal_date": when.isoformat(),
            "flags": sorted(flag.value.decode() for flag in flags),
        }
        self._replace(f"{uid}.json", json.dumps(described).encode())

    def remove(self, uid: int) -> None:
        for suffix in ("json", "eml"):
            (self.path / f"{uid}.{suffix}").unlink(missing_ok=True)

    def mails(self) -> list[tuple[int, AppendMessage]]:
        """In UID order; a mail without its description (killed while writing) was never acknowledged."""
        found = []
        for file in self.path.glob("*.eml"):
            described = file.with_suffix(".json")
            if described.exists():
                values = json.loads(described.read_text(encoding="utf-8"))
                when = datetime.fromisoformat(values["internal_date"])
                flags = frozenset(Flag(flag.encode()) for flag in values["flags"])
                found.append((int(file.stem), AppendMessage(file.read_bytes(), when, flags)))
        return sorted(found, key=lambda pair: pair[0])

    def _replace(self, name: str, content: bytes) -> None:
        part = self.path / f".{name}.part"
        part.write_bytes(content)
        part.replace(self.path / name)


class StoredInbox(MailboxData):
    """pymap's in-memory mailbox, written through to a folder when there is one."""

    def __init__(self, inner: MailboxSet, folder: MailFolder | None) -> None:
        super().__init__(inner._content_cache, inner._thread_cache)
        self._folder = folder
        self._max_uid = _FIRST_UID - 1

    async def restore(self) -> None:
        """Read the folder of an earlier run."""
        if self._folder is None:
            return
        header = self._folder.load_header()
        for uid, mail in self._folder.mails():
            self._max_uid = uid - 1
            await super().append(mail)
        self._uid_validity = header.get("uid_validity", self._uid_validity)
        self._max_uid = max(self._max_uid, header.get("max_uid", 0))
        self._save_header()

    def change_uid_validity(self, uid_validity: int) -> None:
        """Announce another UIDVALIDITY at the next SELECT: all UIDs are void (RFC 9051 §2.3.1.1)."""
        self._uid_validity = uid_validity
        self._save_header()

    async def append(self, append_msg: AppendMessage, *, recent: bool = False) -> Message:
        when = append_msg.when or datetime.now(UTC)
        mail = AppendMessage(append_msg.literal, when, append_msg.flag_set)
        message = await super().append(mail, recent=recent)
        if self._folder is not None:
            self._folder.save_mail(message.uid, bytes(mail.literal), when, message.permanent_flags)
            self._save_header()
        return message

    async def update(
        self, uid: int, cached_msg: CachedMessage, flag_set: frozenset[Flag], mode: FlagOp
    ) -> Message:
        message = await super().update(uid, cached_msg, flag_set, mode)
        if self._folder is not None and not message.expunged:
            self._folder.save_flags(uid, message.internal_date, message.permanent_flags)
        return message

    async def delete(self, uids: Iterable[int]) -> None:
        gone = list(uids)
        await super().delete(gone)
        for uid in gone:
            if self._folder is not None:
                self._folder.remove(uid)

    def _save_header(self) -> None:
        if self._folder is not None:
            self._folder.save_header(uid_validity=self._uid_validity, max_uid=self._max_uid)


async def stored_mailboxes(state: Path | None) -> tuple[Any, StoredInbox]:
    """The mailboxes of the one user, with INBOX restored from `state` (created, 0700) when given."""
    mailboxes = MailboxSet()
    inbox = StoredInbox(mailboxes, MailFolder.at(state) if state is not None else None)
    await inbox.restore()
    mailboxes._inbox = inbox
    return mailboxes, inbox
